// The bans and mutes of a room: who, until when, by whom and why; each can be lifted, also long after it was imposed.

import { endText } from "./chat-acts.js";
import { personOf } from "./chat-people.js";
import { sentenceOf } from "./chat-words.js";
import { actorText, element, plural, userText } from "./text.js";

/** The subject of a ban or a mute: the user of the token, where there is one. */
export function subjectOf({ id, user, client_id, address }) {
  if (user !== undefined) return { user };
  if (address !== undefined) return { address };
  return { client_id: client_id ?? id };
}

/** The ban or the mute of a person among these. */
export function sanctionOf(sanctions, kind, person) {
  const subject = JSON.stringify(subjectOf(person));
  return sanctions.find((each) => each.kind === kind && JSON.stringify(subjectOf(each)) === subject);
}

/** Whether two bans or mutes of one subject are the same act. */
export const isSame = (left, right) => ["author", "reason", "until"].every((field) => left[field] === right[field]);

const CHANGED = "Somebody has set it anew meanwhile. This is how it stands now.";

export class SanctionList {
  /** @param perform does an act: `unmute`, `unban`, and what they have lifted */
  constructor(room, perform) {
    this.room = room;
    this.perform = perform;
    this.list = element("ul", "sanctions");
    this.note = element("p", "sheet-note");
    this.note.setAttribute("role", "status");
    this.node = element("div", "", this.list, this.note);
  }

  /** The ban or mute of the same person that holds now; undefined where none does, or where it is not among the first. */
  async find({ kind, ...subject }) {
    const { sanctions } = await this.room.room.moderate("show");
    return sanctionOf(sanctions, kind, subject);
  }

  async load(news = "") {
    this.note.textContent = "Asking the broker…";
    try {
      const { sanctions, total } = await this.room.room.moderate("show");
      const named = sanctions.map((sanction) => ({ ...sanction, name: this.nameOf(sanction) }));
      this.list.replaceChildren(...named.map((sanction) => this.row(sanction, this.labelOf(sanction))));
      const others = total - sanctions.length;
      this.note.textContent =
        total === 0 ? `Nobody is muted or banned in this room. ${news}`.trim()
        : others > 0 ? `and ${plural(others, "other", "others")}. ${news}`
        : news;
    } catch (error) {
      this.note.textContent = sentenceOf(error);
    }
  }

  /** Nothing is asked before a sanction is lifted, because that can be undone: the row stays, and its button sets the same again. */
  row(given, name) {
    const { kind, author, reason, until } = given;
    const deed = kind === "ban" ? "banned" : "muted";
    const by = `by ${actorText(author)}${reason ? `: ${reason}` : ""}`;
    const state = element("span");
    const text = element("div", "", element("bdi", "", name), state, element("small", "", by));
    text.dir = "auto";
    const button = element("button", "small");
    button.type = "button";
    let isLifted = false;
    let set = given;
    const draw = () => {
      state.textContent = isLifted ? ` is not ${deed} any more` : ` is ${deed}${endText(until && new Date(until * 1000))}`;
      button.textContent = isLifted ? "Undo" : "Lift";
      button.setAttribute("aria-label", isLifted ? `Undo: set the ${kind} of ${name} again` : `Lift the ${kind} of ${name}`);
    };
    button.addEventListener("click", async () => {
      const seconds = until && Math.max(1, Math.floor(until - Date.now() / 1000));
      const same = { ...(reason && { reason }), ...(seconds && { seconds }) };
      button.disabled = true;
      try {
        // it may be another moderator's by now
        const now = await this.find(given);
        if (now && (isLifted || !isSame(now, set))) return await this.load(CHANGED);
        await this.perform(isLifted ? kind : `un${kind}`, given, isLifted ? same : {});
        isLifted = !isLifted;
        if (!isLifted) set = (await this.find(given)) ?? given;
        this.note.textContent = "";
        draw();
      } catch (error) {
        if (error.code === "sanction_not_found") return await this.load(sentenceOf(error));
        this.note.textContent = `It was not done: ${sentenceOf(error)}`;
      } finally {
        button.disabled = false;
        button.focus();
      }
    });
    draw();
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
