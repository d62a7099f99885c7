// One room: its messages as they come, its members with their lag, and the acts of moderation.

import { clear, kick, limits, lock, notice, redact, sanction } from "./console-acts.js";
import { path } from "./console-api.js";
import { button, bytesText, countText, link, problemNode, spanText, table, tag, who } from "./console-parts.js";
import { ruleTags } from "./console-rooms.js";
import { appendText, colourOf, dayText, element, nameOf, textOf, timeText } from "./text.js";

const EVERY = 2000;
const PAGE = 100;
const MOST_ROWS = 1500;
const MEMBERS = 50;
const NO_HISTORY = "This room keeps no history, so its messages cannot be shown.";

export function room({ api, node, events, arguments: [channel, name] }) {
  const view = new RoomView(api, node, channel, name);
  const off = events.on((event, data) => {
    const isHere = data?.channel === channel && (data.room === name || data.room === null);
    if (event === "missed" || (isHere && event !== "connected" && event !== "disconnected")) view.refresh();
  });
  return () => {
    off();
    view.stop();
  };
}

class RoomView {
  constructor(api, node, channel, name) {
    Object.assign(this, { api, channel, name });
    this.rows = new Map();
    this.members = { from: [], list: [] };
    this.tags = element("span");
    this.facts = element("dl", "facts");
    this.talk = element("div", "talk");
    this.talk.tabIndex = 0;
    this.talk.setAttribute("role", "region");
    this.talk.setAttribute("aria-label", "Messages");
    this.older = button("Older messages", "act talk-more", () => this.loadOlder());
    this.older.hidden = true;
    this.empty = element("p", "none", "Loading…");
    this.talk.append(this.older, this.empty);
    this.people = element("div");
    this.peopleTitle = element("h2", "", "Members");
    this.lock = button("Lock…", "small", () => lock(api, channel, name, this.room.rules, () => this.refresh()));
    const crumb = element("p", "crumb", link(channel, `#/channel/${encodeURIComponent(channel)}`), " / ",
      link("rooms", `#/rooms/${encodeURIComponent(channel)}`));
    const title = element("h1", "", element("bdi", "", name), " ", this.tags);
    node.append(
      element("div", "head", crumb, title,
        button("Notice…", "small", () => notice(api, channel, name)),
        this.lock,
        button("Limits…", "small", () => limits(api, channel, name, this.room?.rules ?? {}, () => this.refresh())),
        button("Delete all messages…", "small bad", () => clear(api, channel, name, () => this.reload()))),
      this.facts,
      element("div", "room-grid",
        element("section", "card flush", element("h2", "", "Messages"), this.talk),
        element("section", "card flush", this.peopleTitle, this.people)),
    );
    this.reload();
    this.timer = setInterval(() => this.refresh(), EVERY);
  }

  stop() {
    clearInterval(this.timer);
    this.isStopped = true;
  }

  // The state of the room

  async refresh() {
    if (document.hidden || this.isStopped || this.isRefreshing) return;
    this.isRefreshing = true;
    try {
      await Promise.all([this.loadRoom(), this.loadMembers(), this.loadNewer()]);
    } finally {
      this.isRefreshing = false;
    }
  }

  async loadRoom() {
    try {
      this.room = await this.api.get(path(this.channel, this.name));
      this.drawFacts();
    } catch (error) {
      this.facts.replaceChildren(problemNode(error));
    }
  }

  drawFacts() {
    const { members, subscribers, seq, history, observable, rules, window } = this.room;
    const kept = history ? `${countText(history.count)} messages, ${spanText(history.age_seconds)}` : "none";
    const facts = [
      ["Members", countText(members) + (subscribers < members ? `, ${countText(subscribers)} connected` : "")],
      ["Newest message", seq > 0 ? `number ${countText(seq)}` : "none"],
      ["History", kept],
      ["In memory", bytesText(window.bytes)],
      ["Shows its members", observable ? "yes" : "no"],
    ];
    const nodes = facts.map(([key, value]) => element("div", "", element("dt", "", key), element("dd", "", value)));
    this.facts.replaceChildren(...nodes);
    this.tags.replaceChildren(ruleTags(rules));
    this.lock.textContent = rules.locked ? "Unlock…" : "Lock…";
  }

  // Members

  async loadMembers() {
    const after = this.members.from.at(-1);
    const query = `?limit=${MEMBERS}${after ? `&after=${encodeURIComponent(after)}` : ""}`;
    try {
      Object.assign(this.members, await this.api.get(path(this.channel, this.name, "/members") + query));
      this.drawMembers();
    } catch (error) {
      this.people.replaceChildren(problemNode(error));
    }
  }

  drawMembers() {
    const { members, total, next, from } = this.members;
    const key = JSON.stringify(members);
    // the buttons stay under the focus while nothing changes
    if (key === this.drawnMembers) return;
    this.drawnMembers = key;
    const rows = members.map((member) => {
      return [who(member, this.secondLine(member)), this.lagOf(member), this.actsFor(member)];
    });
    this.peopleTitle.textContent = `Members: ${countText(total)}`;
    this.people.replaceChildren(table(["Member", "#Lag", ""], rows, "Nobody is in the room now."));
    if (!next && from.length === 0) return;
    const back = button("Back", "small", () => this.turn(() => from.pop()));
    const more = button("Next", "small", () => this.turn(() => from.push(next)));
    back.disabled = from.length === 0;
    more.disabled = !next;
    const page = element("span", "", `Page ${from.length + 1}`);
    this.people.append(element("div", "pager", page, element("div", "", back, more)));
  }

  turn(change) {
    change();
    this.loadMembers();
  }

  secondLine({ connection, user, id }) {
    const place = connection
      ? `${connection.wire_format} from ${connection.address ?? "a Unix socket"}`
      : "connection lost, can resume";
    return `${user ? `${user} · ` : ""}${id} · ${place}`;
  }

  lagOf({ connection, muted }) {
    const parts = [];
    if (muted) parts.push(tag("muted", "warn"));
    if (connection?.lag > 0) parts.push(tag(`${countText(connection.lag)} behind`, "bad"));
    if (connection?.queued_bytes > 65_536) parts.push(tag(`${bytesText(connection.queued_bytes)} unread`, "bad"));
    return parts.length > 0 ? parts : "0";
  }

  actsFor(member) {
    const done = () => this.refresh();
    const { api, channel, name } = this;
    return element("div", "acts",
      button("Kick…", "act bad", () => kick(api, channel, name, member, done)),
      button("Mute…", "act bad", () => sanction(api, "mute", channel, name, member, done)),
      button("Ban…", "act bad", () => sanction(api, "ban", channel, name, member, done)));
  }

  // Messages

  async reload() {
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.headDays();
    this.newest = undefined;
    this.oldest = undefined;
    await this.refresh();
  }

  async loadNewer() {
    const query = this.newest === undefined ? `?limit=${PAGE}` : `?limit=${PAGE}&after_seq=${this.newest}`;
    try {
      const page = await this.api.get(path(this.channel, this.name, "/history") + query);
      if (this.epoch !== undefined && page.epoch !== this.epoch) {
        this.epoch = page.epoch;
        this.isRefreshing = false;
        await this.reload();
        return;
      }
      this.epoch = page.epoch;
      if (this.newest === undefined) {
        this.older.hidden = !page.more;
        this.oldest = page.messages[0]?.seq ?? page.seq + 1;
      }
      const isAtEnd = this.talk.scrollHeight - this.talk.scrollTop - this.talk.clientHeight < 40;
      for (const message of page.messages) this.add(message);
      if (page.messages.length > 0) this.headDays();
      this.newest = page.messages.at(-1)?.seq ?? this.newest ?? 0;
      this.empty.hidden = this.rows.size > 0;
      this.empty.textContent = this.room?.history === null ? NO_HISTORY : "No messages yet.";
      if (isAtEnd) {
        this.trim();
        this.talk.scrollTop = this.talk.scrollHeight;
      }
      if (page.more && this.newest !== undefined && query.includes("after_seq")) await this.loadNewer();
    } catch (error) {
      this.empty.textContent = error.code === "history_off" ? NO_HISTORY : error.message;
      this.empty.hidden = this.rows.size > 0;
    }
  }

  async loadOlder() {
    if (this.older.disabled) return;
    this.older.disabled = true;
    try {
      const query = `/history?limit=${PAGE}&before_seq=${this.oldest}`;
      const page = await this.api.get(path(this.channel, this.name, query));
      // the room was cleared meanwhile
      if (page.epoch !== this.epoch) return;
      const height = this.talk.scrollHeight;
      const first = this.firstRow;
      for (const message of page.messages) this.add(message, first);
      this.headDays();
      this.oldest = page.messages[0]?.seq ?? this.oldest;
      this.older.hidden = !page.more;
      this.talk.scrollTop += this.talk.scrollHeight - height;
    } catch (error) {
      this.facts.replaceChildren(problemNode(error));
    } finally {
      this.older.disabled = false;
    }
  }

  get firstRow() {
    return this.talk.querySelector(".said-row");
  }

  add(message, before = null) {
    if (message.type === "message_redacted") {
      this.markRedacted(message);
      return;
    }
    const row = this.rowOf(message, new Date(message.timestamp * 1000));
    this.rows.set(message.seq, row);
    this.talk.insertBefore(row, before);
  }

  /** Puts a heading before the first message of each day. */
  headDays() {
    for (const line of this.talk.querySelectorAll(".talk-day")) line.remove();
    let last;
    for (const row of this.talk.querySelectorAll(".said-row")) {
      const { day } = row.dataset;
      if (day !== last) row.before(element("p", "talk-day", day));
      last = day;
    }
  }

  rowOf(message, time) {
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
    const remove = () => redact(this.api, this.channel, this.name, message, () => this.refresh());
    if (!message.redacted) row.append(button("Remove…", "act bad", remove));
    return row;
  }

  markRedacted({ target_seq: target, reason }) {
    const row = this.rows.get(target);
    if (!row) return;
    row.classList.add("gone");
    row.querySelector(".text").textContent = reason ? `(removed: ${reason})` : "(removed)";
    row.querySelector(".act")?.remove();
  }

  /** Removes the uppermost rows above the limit. */
  trim() {
    if (this.rows.size <= MOST_ROWS) return;
    while (this.rows.size > MOST_ROWS) {
      const row = this.firstRow;
      this.rows.delete(Number(row.dataset.seq));
      row.remove();
    }
    this.oldest = Number(this.firstRow.dataset.seq);
    this.older.hidden = false;
    this.headDays();
  }
}
