// The bans and mutes of a room: who, until when, by whom and why; each can be lifted, also long after it was imposed.

import { endText } from "./chat-acts.js";
import { personOf } from "./chat-people.js";
import { sentenceOf } from "./chat-words.js";
import { element, plural, userText } from "./text.js";

/** The subject of a ban or a mute: the user of the token, where there is one. */
export function subjectOf({ id, user, client_id, address }) {
  if (user !== undefined) return { user };
  if (address !== undefined) return { address };
  return { client_id: client_id ?? id };
}

export class SanctionList {
  /** @param lift does `unmute` or `unban` */
  constructor(room, lift) {
    this.room = room;
    this.lift = lift;
    this.list = element("ul", "sanctions");
    this.note = element("p", "sheet-note");
    this.note.setAttribute("role", "status");
    this.node = element("div", "", this.list, this.note);
  }

  async load() {
    this.note.textContent = "Asking the broker…";
    try {
      const { sanctions, total } = await this.room.room.moderate("show");
      const named = sanctions.map((sanction) => ({ ...sanction, name: this.nameOf(sanction) }));
      this.list.replaceChildren(...named.map((sanction) => this.row(sanction, this.labelOf(sanction))));
      const others = total - sanctions.length;
      this.note.textContent =
        total === 0 ? "Nobody is muted or banned in this room."
        : others > 0 ? `and ${plural(others, "other", "others")}`
        : "";
    } catch (error) {
      this.note.textContent = sentenceOf(error);
    }
  }

  row(sanction, name) {
    const { kind, author, reason, until } = sanction;
    const what = `${kind === "ban" ? "banned" : "muted"}${endText(until && new Date(until * 1000))}`;
    const by = `by ${author.replace(/^member:/, "").replace(":", " ")}${reason ? `: ${reason}` : ""}`;
    const text = element("div", "", element("bdi", "", name), ` is ${what}`, element("small", "", by));
    text.dir = "auto";
    const button = element("button", "small", "Lift");
    button.type = "button";
    button.setAttribute("aria-label", `Lift the ${kind} of ${name}`);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await this.lift(`un${kind}`, sanction);
        await this.load();
      } catch (error) {
        this.note.textContent = `It was not done: ${sentenceOf(error)}`;
        button.disabled = false;
      }
    });
    return element("li", "", text, button);
  }

  /** The name, with what the sanction goes by: a name can look like a user. */
  labelOf({ user, client_id: id, address, name }) {
    const mark = user !== undefined ? `user ${userText(user)}` : id !== undefined ? `session ${id.slice(0, 5)}` : address;
    return name === undefined ? mark : `${name}, ${mark}`;
  }

  /** The name under which one knows the subject, if one does. */
  nameOf({ user, client_id: id, address }) {
    const members = [...(this.room.members?.values() ?? [])].map(personOf);
    const writers = this.room.entries.toReversed().filter(({ isMember }) => isMember).map((entry) => this.room.authorOf(entry));
    const known = [...members, ...writers].find((each) => (user === undefined ? each.id === id : each.user === user));
    return known?.name;
  }
}
