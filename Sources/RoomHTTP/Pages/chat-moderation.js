// Acts of a moderator on a message, on the one who wrote it, and on the room: a menu, and a question before anything is
// done. The page loads this file for those whose token lets them moderate.

import { ACTS, answerOf } from "./chat-acts.js";
import { labelOf } from "./chat-people.js";
import { isSame, sanctionOf, SanctionList, subjectOf } from "./chat-sanctions.js";
import { sentenceOf } from "./chat-words.js";
import { element } from "./text.js";

export class Moderation {
  /** @param said told of what was done, with the room */
  constructor(said) {
    this.said = said;
    this.title = element("bdi", "menu-title");
    this.list = element("div");
    this.list.setAttribute("role", "menu");
    this.menu = element("div", "menu", this.title, this.list);
    this.menu.hidden = true;
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("focusout", ({ relatedTarget }) => {
      // of one that was closed, it may come when the next is about to open
      if (!this.menu.hidden && !this.list.contains(relatedTarget)) this.close();
    });
    document.querySelector("main").append(this.menu);
    addEventListener("resize", () => this.close());
  }

  // The menu

  /** @param on `messageID` of a message that can be removed, its `entry`, and `person` where a member is behind it; or the room */
  async open(button, room, on) {
    if (this.button === button) {
      this.close();
      return;
    }
    this.close();
    this.button = button;
    button.setAttribute("aria-expanded", "true");
    const state = await stateOf(room, on);
    // another menu was opened, or this one closed
    if (this.button !== button || !button.isConnected) return;
    const target = labelled(room, on, state.author);
    this.title.textContent = target.person?.name ?? "";
    this.title.hidden = !target.person;
    this.list.setAttribute("aria-label", button.getAttribute("aria-label"));
    this.list.replaceChildren(...actsFor(target, state).map((act) => this.item(act, room, target, state)));
    this.menu.hidden = false;
    this.place(button.getBoundingClientRect());
    this.list.firstElementChild.focus({ preventScroll: true });
  }

  item(act, room, target, state) {
    const item = element("button", "menu-item", ACTS[act].item);
    item.type = "button";
    item.tabIndex = -1;
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      const { button } = this;
      this.close();
      if (act === "sanctions") this.show(room, button);
      else if (ACTS[act].title) this.ask(act, room, target, state, button);
      else this.actAtOnce(act, room, target.person, state);
    });
    return item;
  }

  /** Beneath the button, or above it, and within the window. */
  place(at) {
    const { offsetWidth: width, offsetHeight: height } = this.menu;
    const left = Math.max(8, Math.min(at.right - width, innerWidth - width - 8));
    const below = at.bottom + 4;
    this.menu.style.left = `${left}px`;
    this.menu.style.top = `${below + height > innerHeight - 8 ? Math.max(8, at.top - height - 4) : below}px`;
  }

  pressed(event) {
    const items = [...this.list.children];
    const index = items.indexOf(document.activeElement);
    const next = {
      ArrowDown: items[(index + 1) % items.length],
      ArrowUp: items.at(index - 1),
      Home: items[0],
      End: items.at(-1),
    }[event.key];
    if (next) next.focus();
    else if (event.key === "Escape" || event.key === "Tab") this.button?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  close() {
    this.button?.setAttribute("aria-expanded", "false");
    this.button = undefined;
    this.menu.hidden = true;
  }

  // The question

  ask(act, room, target, state, button) {
    const { title, text, word, fields, done } = ACTS[act];
    const name = target.person?.name;
    const problem = element("p", "sheet-error");
    problem.setAttribute("role", "alert");
    problem.hidden = true;
    const cancel = element("button", "small", "Cancel");
    cancel.type = "button";
    const confirm = element("button", `main${act === "notice" || act === "slow_mode" ? "" : " bad"}`, word);
    const form = element("form", "", element("p", "sheet-text", text), ...fields(target.person, state.rules, target.entry), problem,
      element("div", "sheet-buttons", cancel, confirm));
    const dialog = openDialog(title(name), form, button);
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answer = answerOf(form);
      confirm.disabled = true;
      try {
        await expect(act, room, target.person, state);
        const result = await perform(act, room, target, answer);
        const until = target.person && answer.seconds && await endOf(act, room, target.person, answer);
        dialog.close();
        if (done) this.said(room, done(name, { ...result, until }));
      } catch (error) {
        problem.textContent = `It was not done: ${sentenceOf(error)}`;
        problem.hidden = false;
      } finally {
        confirm.disabled = false;
      }
    });
  }

  async actAtOnce(act, room, person, state) {
    try {
      await expect(act, room, person, state);
      await perform(act, room, { person }, {});
      if (ACTS[act].done) this.said(room, ACTS[act].done(person.name));
    } catch (error) {
      this.said(room, `It was not done: ${sentenceOf(error)}`);
    }
  }

  // What is set

  show(room, button) {
    const close = element("button", "small", "Close");
    const list = new SanctionList(room, (act, person, fields) => perform(act, room, { person }, fields));
    const dialog = openDialog("Muted and banned", element("form", "", list.node, element("div", "sheet-buttons", close)), button);
    close.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.close();
    });
    list.load();
  }
}

/** The target with the names by which its people are told from others, and the user that the broker alone knows. */
function labelled(room, { messageID, person, entry }, { user } = {}) {
  const author = entry && (entry.isOwn ? "You" : entry.isMember ? labelOf(room, room.authorOf(entry)) : entry.name);
  const known = person && { ...person, user: person.user ?? user };
  return {
    messageID,
    person: known && { ...known, name: labelOf(room, known) },
    entry: entry && { text: entry.text, author },
  };
}

/** What is set in the room, and who wrote the message; nothing where the broker does not say. */
async function stateOf(room, { messageID }) {
  try {
    return await room.room.moderate("show", { target_id: messageID });
  } catch {
    // the acts themselves say why they fail
    return { sanctions: [] };
  }
}

/** A ban or a mute is neither replaced nor lifted that another moderator has set since the menu was opened. */
async function expect(act, room, person, { sanctions: before }) {
  const kind = act.replace(/^un/, "");
  if (!person || (kind !== "ban" && kind !== "mute")) return;
  const then = sanctionOf(before, kind, person);
  const now = sanctionOf((await stateOf(room, {})).sanctions, kind, person);
  if (now && !(then && isSame(now, then))) throw new Error(`another moderator has set a ${kind} meanwhile; "Muted and banned…" shows it`);
}

/** Until when a mute or a ban holds by the clock of the broker, as the list of them says; by the own one where there is no answer. */
async function endOf(act, room, person, { seconds }) {
  const given = sanctionOf((await stateOf(room, {})).sanctions, act, person);
  return new Date(given?.until ? given.until * 1000 : Date.now() + seconds * 1000);
}

function actsFor({ messageID, person }, { rules, sanctions }) {
  const acts = messageID ? ["redact"] : [];
  if (!messageID && !person) return [rules?.locked ? "unlock" : "lock", "slow_mode", "notice", "sanctions"];
  if (!person) return acts;
  const has = (kind) => sanctionOf(sanctions, kind, person) !== undefined;
  return [...acts, has("mute") ? "unmute" : "mute", "kick", has("ban") ? "unban" : "ban"];
}

async function perform(act, room, { messageID, person }, fields) {
  if (!room.room) throw new Error("you are not in this room at the moment");
  if (act === "kick") return kick(room, room.sessionsOf(person), fields);
  const subject =
    act === "redact" ? { target_id: messageID }
    : person ? subjectOf(person)
    : {};
  return room.room.moderate(act, { ...(act === "slow_mode" && { seconds: 0 }), ...subject, ...fields });
}

/** All sessions of a person who is here; one of them may leave meanwhile. */
async function kick(room, sessions, fields) {
  const problems = [];
  for (const id of sessions) {
    try {
      await room.room.moderate("kick", { client_id: id, ...fields });
    } catch (error) {
      if (error.code !== "member_not_found") throw error;
      problems.push(error);
    }
  }
  if (problems.length === sessions.length) throw problems[0];
}

/** A dialog that gives the focus back to the button, or to the message field where that has gone. */
function openDialog(title, form, button) {
  const heading = element("h2", "", title);
  heading.id = "moderation-title";
  heading.dir = "auto";
  form.prepend(heading);
  const dialog = element("dialog", "sheet act", form);
  dialog.setAttribute("aria-labelledby", "moderation-title");
  dialog.addEventListener("close", () => {
    dialog.remove();
    // the event comes late: who has opened the next menu meanwhile keeps the focus, and with it the menu
    if (document.activeElement !== document.body) return;
    (button.isConnected ? button : document.getElementById("write")).focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
