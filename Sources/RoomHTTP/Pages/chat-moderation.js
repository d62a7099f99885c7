// Acts of a moderator on a message and on the one who wrote it: a menu, and a question before anything is done. The
// page loads this file for those whose token lets them moderate.

import { element } from "./text.js";

const SPANS = [
  ["600", "10 minutes"],
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "1 week"],
  ["", "Until somebody lifts it"],
];
const BY_SESSION = "The token of this member names no user, so this applies to the present session only.";

/** Each act: what the menu and the dialog call it, and what is said when it is done. */
const ACTS = {
  redact: {
    item: "Remove the message…",
    title: () => "Remove this message?",
    text: "Its text is removed for everybody, in the history, too. A mark stays in its place. This cannot be undone.",
    word: "Remove",
  },
  mute: {
    item: "Mute…",
    title: (name) => `Mute ${name}?`,
    text: "The member can read in this room, but not write.",
    word: "Mute",
    done: (name, span) => `You have muted ${name}${span}.`,
    undo: "unmute",
  },
  kick: {
    item: "Remove from the room…",
    title: (name) => `Remove ${name} from the room?`,
    text: "The member leaves the room at once, and can come back.",
    word: "Remove",
    done: (name) => `You have removed ${name} from the room.`,
  },
  ban: {
    item: "Ban…",
    title: (name) => `Ban ${name}?`,
    text: "The member leaves the room at once, and cannot come back.",
    word: "Ban",
    done: (name, span) => `You have banned ${name}${span}.`,
    undo: "unban",
  },
  unmute: { item: "Lift the mute", done: (name) => `You have lifted the mute of ${name}.` },
  unban: { item: "Lift the ban", done: (name) => `You have lifted the ban of ${name}.` },
};

export class Moderation {
  /** @param said told of what was done, with the room */
  constructor(said) {
    this.said = said;
    /** The sanctions that were imposed in this visit, and can be lifted. */
    this.imposed = new Set();
    this.title = element("bdi", "menu-title");
    this.list = element("div");
    this.list.setAttribute("role", "menu");
    this.menu = element("div", "menu", this.title, this.list);
    this.menu.hidden = true;
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.list.contains(relatedTarget)) this.close();
    });
    document.querySelector("main").append(this.menu);
    addEventListener("resize", () => this.close());
  }

  // The menu

  /** @param target `messageID` of a message that can be removed, and `person` where a member is behind it */
  open(button, room, target) {
    if (this.button === button) {
      this.close();
      return;
    }
    this.close();
    this.button = button;
    button.setAttribute("aria-expanded", "true");
    this.title.textContent = target.person?.name ?? "";
    this.title.hidden = !target.person;
    this.list.setAttribute("aria-label", button.getAttribute("aria-label"));
    this.list.replaceChildren(...this.actsFor(room, target).map((act) => this.item(act, room, target)));
    this.menu.hidden = false;
    this.place(button.getBoundingClientRect());
    this.list.firstElementChild.focus({ preventScroll: true });
  }

  actsFor(room, { messageID, person }) {
    const acts = messageID ? ["redact"] : [];
    if (!person) return acts;
    const liftable = ["mute", "ban"].map((act) => (this.isImposed(act, room, person) ? ACTS[act].undo : act));
    return [...acts, liftable[0], "kick", liftable[1]];
  }

  item(act, room, target) {
    const item = element("button", "menu-item", ACTS[act].item);
    item.type = "button";
    item.tabIndex = -1;
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      const { button } = this;
      this.close();
      if (ACTS[act].word) this.ask(act, room, target, button);
      else this.lift(act, room, target.person);
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

  ask(act, room, target, button) {
    const { title, text, word, undo, done } = ACTS[act];
    const { person } = target;
    const heading = element("h2", "", title(person?.name));
    heading.id = "moderation-title";
    heading.dir = "auto";
    const problem = element("p", "sheet-error");
    problem.setAttribute("role", "alert");
    problem.hidden = true;
    const cancel = element("button", "small", "Cancel");
    cancel.type = "button";
    const confirm = element("button", "main bad", word);
    const bySession = undo && !person.user ? [element("p", "sheet-note", BY_SESSION)] : [];
    const form = element("form", "", heading, element("p", "sheet-text", text),
      ...(undo ? [field("For how long", spans())] : []),
      field("Reason (optional; others may see it)", reasonField()), ...bySession, problem,
      element("div", "sheet-buttons", cancel, confirm));
    const dialog = element("dialog", "sheet", form);
    dialog.setAttribute("aria-labelledby", "moderation-title");
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      (button.isConnected ? button : document.getElementById("write")).focus();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { seconds, reason } = Object.fromEntries(new FormData(form));
      const fields = { ...(reason.trim() && { reason: reason.trim() }), ...(seconds && { seconds: Number(seconds) }) };
      confirm.disabled = true;
      try {
        await this.act(act, room, target, fields);
        dialog.close();
        const span = SPANS.find(([value]) => value && value === seconds);
        if (done) this.said(room, done(person.name, span ? ` for ${span[1]}` : ""));
      } catch (error) {
        problem.textContent = `It was not done: ${error.message}.`;
        problem.hidden = false;
      } finally {
        confirm.disabled = false;
      }
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  async act(act, room, { messageID, person }, fields) {
    if (!room.room) throw new Error("you are not in this room at the moment");
    const subject =
      act === "redact" ? { target_id: messageID }
      : act === "kick" ? { client_id: person.id }
      : subjectOf(person);
    await room.room.moderate(act, { ...subject, ...fields });
    if (ACTS[act].undo) this.imposed.add(keyOf(act, room, person));
  }

  async lift(act, room, person) {
    try {
      await this.act(act, room, { person }, {});
      this.imposed.delete(keyOf(act.replace("un", ""), room, person));
      this.said(room, ACTS[act].done(person.name));
    } catch (error) {
      this.said(room, `It was not done: ${error.message}.`);
    }
  }

  isImposed(act, room, person) {
    return this.imposed.has(keyOf(act, room, person));
  }
}

/** The subject of a ban or a mute: the user of the token, where there is one. */
const subjectOf = ({ id, user }) => (user ? { user } : { client_id: id });

const keyOf = (act, room, person) => JSON.stringify([act, room.name, subjectOf(person)]);

function field(label, input) {
  return element("label", "field", element("span", "", label), input);
}

function spans() {
  const select = element("select", "", ...SPANS.map(([value, text]) => new Option(text, value)));
  select.name = "seconds";
  return select;
}

function reasonField() {
  const input = element("input");
  input.name = "reason";
  input.maxLength = 120;
  input.autocomplete = "off";
  input.dir = "auto";
  return input;
}
