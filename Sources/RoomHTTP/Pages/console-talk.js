// The messages of one room: the newest, those that come, and on request the older ones.

import { redact, sanction } from "./console-acts.js";
import { path } from "./console-api.js";
import { allowed, button, countText, problemNode } from "./console-parts.js";
import { appendText, colourOf, dayText, element, nameOf, textOf, timeText, userOf } from "./text.js";

const PAGE = 100;
const MOST_ROWS = 1500;
/** The rows that a reader who has scrolled up keeps on the page. */
const MOST_ROWS_BEHIND = 3000;
const NO_MESSAGES = "No messages yet.";
const NO_HISTORY = "This room keeps no history: messages are shown as they come.";

export class Talk {
  /**
   * @param onFrame told of each frame of the room, and called without one where the room has begun anew
   * @param userOf gives the user of a member that is here: a message need not name it
   */
  constructor(api, channel, name, onFrame, userOf) {
    Object.assign(this, { api, channel, name, onFrame, userOf });
    this.rows = new Map();
    this.waiting = [];
    this.node = element("div", "talk");
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", "Messages");
    this.older = button("Older messages", "act talk-more", () => this.loadOlder());
    this.older.hidden = true;
    this.empty = element("p", "none", "Loading…");
    this.node.append(this.older, this.empty);
  }

  /** Begins with the newest messages. `room` is what the broker says of the room, if there is one. */
  async start(room) {
    this.stop();
    this.removeRows();
    this.hasHistory = room?.history !== null;
    this.older.hidden = true;
    this.newest = 0;
    this.place = room && `${room.epoch}:0`;
    if (this.hasHistory) await this.loadNewest();
    this.drawEmpty();
    this.isStarted = true;
    this.follow();
  }

  stop() {
    this.isStarted = false;
    this.pause();
  }

  /** Nothing is asked for while nobody looks. `follow` goes on where the page was. */
  pause() {
    this.following?.abort();
    this.following = undefined;
  }

  follow() {
    if (!this.isStarted || this.following) return;
    this.following = new AbortController();
    const { signal } = this.following;
    this.api.follow(path(this.channel, this.name, "/events"), {
      event: (name, data, id) => {
        if (signal.aborted) return;
        this.place = id ?? this.place;
        this.take(name, data);
      },
    }, signal, this.place);
  }

  // Incoming events

  take(name, data) {
    if (name !== "gap") this.onFrame(data);
    else if (data.reason === "epoch") return this.onFrame();
    if (name === "gap") this.waiting.push({ gap: data });
    // one without a number is kept nowhere: a sign that somebody writes
    else if (data.seq !== undefined && (data.type === "publish" || data.type === "message_redacted")) this.waiting.push(data);
    else return;
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.draw(this.waiting.splice(0));
    });
  }

  draw(frames) {
    const isAtEnd = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < 40;
    const most = isAtEnd ? MOST_ROWS : MOST_ROWS_BEHIND;
    // what would be removed at once is not drawn
    if (frames.length > most) this.removeRows();
    for (const frame of frames.slice(-most)) {
      if (frame.gap) this.addGap(frame.gap);
      else this.add(frame);
    }
    this.drawEmpty();
    this.trim(most);
    if (isAtEnd) this.node.scrollTop = this.node.scrollHeight;
  }

  /** A message at the end. */
  add(frame) {
    if (frame.seq <= this.newest) return;
    this.newest = frame.seq;
    if (frame.type === "message_redacted") {
      this.markRedacted(frame);
      return;
    }
    const row = this.rowOf(frame);
    if (row.dataset.day !== this.lastDay) this.node.append(dayLine(row));
    this.lastDay = row.dataset.day;
    if (this.rows.size === 0) this.oldest = frame.seq;
    this.rows.set(frame.seq, row);
    this.node.append(row);
  }

  addGap({ from_seq: from, to_seq: to, reason }) {
    this.newest = Math.max(this.newest, to);
    // where the page begins, nothing is missing that it has shown a part of
    if (this.rows.size === 0) return;
    const which = from === to ? `Message ${countText(from)}` : `Messages ${countText(from)} to ${countText(to)}`;
    const why = reason === "slow" ? "came faster than they could be shown" : "came while the page had no connection";
    this.node.append(element("p", "talk-gap", `${which} ${why}.`));
  }

  drawEmpty() {
    this.empty.hidden = this.rows.size > 0;
    this.empty.textContent = this.hasHistory ? NO_MESSAGES : NO_HISTORY;
  }

  // The history

  async loadNewest() {
    try {
      const page = await this.page(`?limit=${PAGE}`);
      this.oldest = page.messages[0]?.seq ?? page.seq + 1;
      this.older.hidden = !page.more;
      this.place = `${page.epoch}:${page.seq}`;
      for (const message of page.messages) this.add(message);
      this.newest = page.seq;
      this.node.scrollTop = this.node.scrollHeight;
    } catch (error) {
      if (error.code === "history_off") this.hasHistory = false;
      else this.node.append(problemNode(error));
    }
  }

  async loadOlder() {
    if (this.older.disabled) return;
    this.older.disabled = true;
    try {
      const { place } = this;
      const page = await this.page(`?limit=${PAGE}&before_seq=${this.oldest}`);
      // the room was cleared meanwhile
      if (page.epoch !== place.split(":")[0]) return;
      const height = this.node.scrollHeight;
      const first = this.firstRow;
      for (const message of page.messages) {
        if (message.type === "message_redacted") {
          this.markRedacted(message);
          continue;
        }
        const row = this.rowOf(message);
        this.rows.set(message.seq, row);
        this.node.insertBefore(row, first);
      }
      this.headDays();
      this.oldest = page.messages[0]?.seq ?? this.oldest;
      this.older.hidden = !page.more;
      this.node.scrollTop += this.node.scrollHeight - height;
    } catch (error) {
      this.older.after(problemNode(error));
    } finally {
      this.older.disabled = false;
    }
  }

  page(query) {
    return this.api.get(path(this.channel, this.name, "/history") + query);
  }

  // Rows

  get firstRow() {
    return this.node.querySelector(".said-row");
  }

  /** Puts a heading before the first message of each day. */
  headDays() {
    for (const line of this.node.querySelectorAll(".talk-day")) line.remove();
    this.lastDay = undefined;
    for (const row of this.node.querySelectorAll(".said-row")) {
      if (row.dataset.day !== this.lastDay) row.before(dayLine(row));
      this.lastDay = row.dataset.day;
    }
  }

  rowOf(message) {
    const time = new Date(message.timestamp * 1000);
    const sender = message.sender;
    const member = sender.kind ? undefined : sender;
    const name = element("b", "", element("bdi", "", nameOf(member, sender)));
    name.style.setProperty("--c", colourOf(member, sender.id));
    const said = element("span", "text");
    said.dir = "auto";
    if (message.redacted) said.textContent = "(removed)";
    else {
      const { text, isCode } = textOf(message.message);
      said.classList.toggle("mono", isCode);
      appendText(said, text);
    }
    const stamp = element("time", "", timeText(time));
    stamp.dateTime = time.toISOString();
    stamp.title = `${time.toLocaleString()}, number ${message.seq}`;
    const row = element("div", `said-row${message.redacted ? " gone" : ""}`, stamp, element("div", "", name, said));
    row.dataset.seq = message.seq;
    row.dataset.day = dayText(time);
    row.append(element("div", "acts", ...allowed(this.api, "moderate", ...this.actsFor(message, member))));
    return row;
  }

  /** The author can be banned also when it is gone, and its message too. */
  actsFor(message, member) {
    const { api, channel, name } = this;
    const acts = [];
    if (!message.redacted) acts.push(button("Remove…", "act bad", () => redact(api, channel, name, message)));
    if (member) {
      const ban = button("Ban…", "act bad", async () => {
        const user = this.userOf(member.id) ?? userOf(member) ?? await this.askUser(message);
        // another room may be open by now, and another question
        if (!ban.isConnected || document.querySelector("dialog[open]")) return;
        sanction(api, "ban", channel, name, { id: member.id, user, client_data: member.clientData });
      });
      acts.push(ban);
    }
    return acts;
  }

  /** The user who has written a message that names none, as far as the broker knows: who is gone is in no list. */
  async askUser({ id }) {
    try {
      return (await this.api.get(path(this.channel, this.name, `/messages/${id}/author`))).user;
    } catch {
      // the session is known, and what is done with it says why it fails
      return undefined;
    }
  }

  markRedacted({ target_seq: target, reason }) {
    const row = this.rows.get(target);
    if (!row) return;
    row.classList.add("gone");
    row.querySelector(".text").textContent = reason ? `(removed: ${reason})` : "(removed)";
    for (const act of row.querySelectorAll(".act")) if (act.textContent === "Remove…") act.remove();
  }

  removeRows() {
    for (const node of this.node.querySelectorAll(".said-row, .talk-day, .talk-gap, .none")) node.remove();
    this.node.append(this.empty);
    this.rows.clear();
    this.lastDay = undefined;
    this.older.hidden = !this.hasHistory;
  }

  /** Removes the uppermost rows above the limit. */
  trim(most) {
    if (this.rows.size <= most) return;
    while (this.rows.size > most) {
      const row = this.firstRow;
      this.rows.delete(Number(row.dataset.seq));
      row.remove();
    }
    this.oldest = Number(this.firstRow.dataset.seq);
    this.older.hidden = !this.hasHistory;
    this.headDays();
  }
}

const dayLine = (row) => element("p", "talk-day", row.dataset.day);
