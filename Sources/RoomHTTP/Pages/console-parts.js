// Parts that the views of the console have in common: tables, dialogs, texts of numbers.

import { avatar, colourOf, element, nameOf, userText } from "./text.js";

let toastTimer;

/** Says shortly what was done, or what went wrong. */
export function toast(text, kind = "good") {
  const node = document.getElementById("toast");
  node.textContent = text;
  node.dataset.kind = kind;
  node.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (node.hidden = true), kind === "bad" ? 9000 : 4000);
}

export function button(text, className, action) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

/** Buttons that are there only for whose token has the scope. */
export function allowed(api, scope, ...buttons) {
  return api.may(scope) ? buttons : [];
}

export function link(text, hash, className = "") {
  const made = element("a", className, element("bdi", "", text));
  made.href = hash;
  return made;
}

export function tag(text, kind = "") {
  return element("span", `tag ${kind}`, text);
}

/** A table that scrolls sideways in itself. `columns` are texts; one that begins with "#" is for numbers. */
export function table(columns, rows, none) {
  if (rows.length === 0) return element("p", "none", none);
  const heads = columns.map((text) => {
    const head = element("th", text.startsWith("#") ? "number" : "", text.replace("#", ""));
    head.scope = "col";
    if (text === "") head.append(element("span", "heard", "Actions"));
    return head;
  });
  const body = element("tbody", "", ...rows.map((cells) => row(cells, columns)));
  const made = element("table", "", element("thead", "", element("tr", "", ...heads)), body);
  const scroll = element("div", "table-scroll", made);
  return scroll;
}

function row(cells, columns) {
  return element("tr", "", ...cells.map((cell, index) => {
    const parts = Array.isArray(cell) ? cell : [cell];
    return element("td", columns[index].startsWith("#") ? "number" : "", ...parts);
  }));
}

/** A member with its colour, name and a second line. */
export function who(member, second) {
  const name = nameOf({ id: member.id, clientData: member.client_data });
  const text = element("span", "", element("bdi", "strong", name));
  if (second) text.append(element("small", "", second));
  return element("span", "who", avatar(name, colourOf({ clientData: member.client_data }, member.id), "mini"), text);
}

export function displayName(member) {
  return nameOf({ id: member.id, clientData: member.client_data });
}

/** Whom a ban, a mute or an act is for: nothing where that is not known. */
export function subjectText({ user, client_id: id, address }) {
  if (typeof user === "string") return `user ${userText(user)}`;
  return typeof id === "string" ? `session ${id}` : address;
}

/** The name of a member, with what tells it from others of the name. */
export function fullName(member) {
  return `${displayName(member)} (${subjectText({ user: member.user, client_id: member.id })})`;
}

/** A field of a form with its label. `choices` make it a selection. */
export function field(label, name, value, { choices, type = "text", hint, ...attributes } = {}) {
  const input = element(choices ? "select" : "input");
  if (choices) {
    for (const [key, text] of choices) input.append(new Option(text, key, false, String(value ?? "") === key));
  } else {
    input.type = type;
    input.value = value ?? "";
  }
  input.name = name;
  for (const [key, setting] of Object.entries(attributes)) input.setAttribute(key, setting);
  const made = element("label", "field", element("span", "", label), input);
  if (hint) made.append(element("small", "", hint));
  return made;
}

/**
 * Asks before something is done: says what happens, and does it with what the fields say.
 * The dialog stays open, with the reason, if it fails.
 */
export function ask({ title, text, fields = [], word, isBad = true, act }) {
  const problem = element("p", "sheet-error");
  problem.setAttribute("role", "alert");
  problem.hidden = true;
  const done = element("button", `main${isBad ? " bad" : ""}`, word);
  done.type = "submit";
  const heading = element("h2", "", title);
  heading.id = "ask-title";
  const cancel = button("Cancel", "small", () => dialog.close());
  const form = element("form", "", heading, element("p", "sheet-text", text), ...fields, problem,
    element("div", "sheet-buttons", cancel, done));
  const dialog = element("dialog", "sheet", form);
  dialog.setAttribute("aria-labelledby", "ask-title");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    done.disabled = true;
    try {
      const said = await act(Object.fromEntries(new FormData(form)));
      dialog.close();
      if (said) toast(said);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    } finally {
      done.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Shows a secret that no later answer shows. */
export function showSecret(title, text, secret) {
  const heading = element("h2", "", title);
  heading.id = "secret-title";
  const shown = element("code", "secret", secret);
  const copy = button("Copy", "small", async () => {
    await navigator.clipboard.writeText(secret);
    copy.textContent = "Copied";
  });
  const close = button("Done", "main", () => dialog.close());
  const buttons = element("div", "sheet-buttons", ...(navigator.clipboard ? [copy] : []), close);
  const dialog = element("dialog", "sheet", heading, element("p", "sheet-text", text), shown, buttons);
  dialog.setAttribute("aria-labelledby", "secret-title");
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** The text of a view that has nothing, or that says why it cannot show anything. */
export function problemNode(error) {
  const start = error.status === 403 ? "Your token does not let you see this: " : "";
  return element("p", "none", start + error.message);
}

const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

export const countText = (value) => (value === undefined ? "–" : whole.format(value));

export function rateText(value) {
  if (value === undefined) return "–";
  if (value >= 10_000) return short.format(value);
  return value >= 10 ? whole.format(Math.round(value)) : String(Math.round(value * 10) / 10);
}

export function bytesText(value) {
  if (value === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function durationText(seconds) {
  if (seconds === undefined) return "–";
  if (seconds === 0) return "0";
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${+(seconds * 1000).toPrecision(2)} ms`;
  return `${+seconds.toPrecision(3)} s`;
}

/** "2 days", for settings. */
export function spanText(seconds) {
  for (const [length, word] of [[86_400, "day"], [3600, "hour"], [60, "minute"]]) {
    const count = seconds / length;
    if (count >= 1 && Number.isInteger(count)) return `${countText(count)} ${word}${count === 1 ? "" : "s"}`;
  }
  return `${seconds} second${seconds === 1 ? "" : "s"}`;
}

/** "2 days 3 hours", for what has lasted so long. */
export function lastingText(seconds) {
  const units = [[86_400, "day"], [3600, "hour"], [60, "minute"]];
  const first = units.findIndex(([length]) => seconds >= length);
  if (first < 0) return "less than a minute";
  const texts = [];
  let rest = seconds;
  for (const [length, word] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) texts.push(`${countText(count)} ${word}${count === 1 ? "" : "s"}`);
  }
  return texts.join(" ");
}

export const timeText = (text) => new Date(text).toLocaleString();
