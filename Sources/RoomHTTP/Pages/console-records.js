// The audit log, and the admin tokens.

import { ask, button, field, problemNode, showSecret, table, tag, timeText } from "./console-parts.js";
import { element } from "./text.js";

const PAGE = 50;
const COLUMNS = ["Time", "Actor", "Action", "Target", "Details", "From"];
const SCOPES = [["read", "see everything"], ["moderate", "moderate, too"], ["manage", "change everything"]];
const EXPIRIES = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["2592000", "30 days"],
  ["31536000", "1 year"],
  ["", "– it does not"],
];

export function audit({ api, node, events }) {
  const list = element("div");
  const actor = search("Only of this actor, such as token:ops");
  const action = search("Only this action, such as member.kick");
  const newer = button("Newest", "small", () => load([]));
  const older = button("Older", "small", () => load([...places, next]));
  const pager = element("div", "pager", element("span"), element("div", "", newer, older));
  let places = [];
  let next;
  async function load(to = places) {
    places = to;
    const query = new URLSearchParams({ limit: PAGE });
    if (places.length > 0) query.set("before", places.at(-1));
    if (actor.value.trim()) query.set("actor", actor.value.trim());
    if (action.value.trim()) query.set("action", action.value.trim());
    try {
      const page = await api.get(`/audit?${query}`);
      next = page.next;
      list.replaceChildren(table(COLUMNS, page.entries.map(rowOf), "No entries."));
      newer.disabled = places.length === 0;
      older.disabled = !next;
    } catch (error) {
      list.replaceChildren(problemNode(error));
    }
  }
  for (const input of [actor, action]) input.addEventListener("change", () => load([]));
  node.append(
    element("div", "head", element("h1", "", "Audit log")),
    element("div", "filters", actor, action),
    element("section", "card flush", list, pager),
  );
  load();
  return events.on((name) => {
    if (places.length === 0 && ["moderated", "channel_changed", "channel_removed", "missed"].includes(name)) load();
  });
}

function search(label) {
  const input = element("input");
  input.type = "search";
  input.placeholder = label;
  input.setAttribute("aria-label", label);
  return input;
}

function rowOf(entry) {
  const details = JSON.stringify(entry.details);
  return [
    element("span", "soft when", timeText(entry.time)),
    element("bdi", "strong", entry.actor),
    tag(entry.action),
    element("bdi", "", entry.target),
    element("span", "mono soft", details === "{}" ? "" : details),
    element("span", "soft", entry.origin),
  ];
}

export function tokens({ api, node }) {
  const list = element("div");
  async function load() {
    try {
      const { tokens: found } = await api.get("/tokens");
      list.replaceChildren(table(["Name", "May", "Created", "Expires", ""], found.map((token) => [
        element("span", "strong", token.name),
        element("span", "", ...token.scopes.map((scope) => tag(scope, scope === "manage" ? "warn" : ""))),
        timeText(token.created_at),
        token.expires_at ? timeText(token.expires_at) : "never",
        element("div", "acts", button("Revoke…", "act bad", () => revoke(token.name))),
      ]), "There are no admin tokens."));
    } catch (error) {
      list.replaceChildren(problemNode(error));
    }
  }
  function revoke(name) {
    ask({
      title: `Revoke the token ${name}?`,
      text: "Whoever uses it is refused from now on.",
      word: "Revoke",
      async act() {
        await api.call("DELETE", `/tokens/${encodeURIComponent(name)}`);
        load();
        return `The token ${name} is revoked`;
      },
    });
  }
  function create() {
    ask({
      title: "New admin token",
      text: "For the admin API, the commands and this console. "
        + "The tokens of clients are made with the secret of a channel.",
      fields: [
        field("Name", "name", "", { required: "", pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]{0,63}" }),
        field("May", "scope", "read", { choices: SCOPES }),
        field("Expires in", "seconds", "2592000", { choices: EXPIRIES }),
      ],
      word: "Create",
      isBad: false,
      async act({ name, scope, seconds }) {
        const expiry = seconds ? Number(seconds) : null;
        const made = await api.call("POST", "/tokens", { name, scopes: [scope], expires_in_seconds: expiry });
        load();
        showSecret(`The token ${name}`, "It is shown only now: store it in a safe place.", made.token);
      },
    });
  }
  node.append(
    element("div", "head", element("h1", "", "Admin tokens"), button("New token…", "main", create)),
    element("section", "card flush", list),
  );
  load();
}
