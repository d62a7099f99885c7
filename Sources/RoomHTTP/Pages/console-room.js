// One room: its messages as they come, its members with their lag, and the acts of moderation.

import { clear, kick, limits, lock, notice, sanction, unmute } from "./console-acts.js";
import { path } from "./console-api.js";
import { allowed, button, bytesText, countText, link, problemNode, spanText, table, tag, who } from "./console-parts.js";
import { ruleTags } from "./console-rooms.js";
import { Talk } from "./console-talk.js";
import { element, userText } from "./text.js";

/** Between two looks at the room and its members, while something happens. */
const PAUSE = 2000;
const MEMBERS = 50;

export function room({ api, node, events, arguments: [channel, name] }) {
  const view = new RoomView(api, node, channel, name);
  const off = events.on((event, data) => {
    const isHere = data?.channel === channel && (data.room === name || data.room === null);
    if (event === "missed" || (isHere && event !== "connected" && event !== "disconnected")) view.lookSoon();
  });
  return () => {
    off();
    view.stop();
  };
}

class RoomView {
  constructor(api, node, channel, name) {
    Object.assign(this, { api, channel, name });
    this.members = { from: [], list: [] };
    this.tags = element("span");
    this.facts = element("dl", "facts");
    this.talk = new Talk(api, channel, name, (frame) => {
      if (!frame) this.start();
      else this.lookSoon();
    }, (id) => this.members.list.find((member) => member.id === id)?.user);
    this.people = element("div");
    this.peopleTitle = element("h2", "", "Members");
    this.lock = button("Lock…", "small", () => lock(api, channel, name, this.room.rules, () => this.look()));
    // whether it locks or unlocks is known with the room
    this.lock.disabled = true;
    const crumb = element("p", "crumb", link(channel, `#/channel/${encodeURIComponent(channel)}`), " / ",
      link("rooms", `#/rooms/${encodeURIComponent(channel)}`));
    const title = element("h1", "", element("bdi", "", name), " ", this.tags);
    node.append(
      element("div", "head", crumb, title, ...allowed(
        api,
        "moderate",
        button("Notice…", "small", () => notice(api, channel, name)),
        this.lock,
        button("Limits…", "small", () => limits(api, channel, name, this.room?.rules ?? {}, () => this.look())),
        button("Delete all messages…", "small bad", () => clear(api, channel, name)),
      )),
      this.facts,
      element("div", "room-grid",
        element("section", "card flush", element("h2", "", "Messages"), this.talk.node),
        element("section", "card flush", this.peopleTitle, this.people)),
    );
    this.onVisibility = () => {
      if (document.hidden) {
        this.talk.pause();
      } else {
        this.talk.follow();
        this.look();
      }
    };
    document.addEventListener("visibilitychange", this.onVisibility);
    this.start();
  }

  async start() {
    await this.look();
    if (!this.isStopped) await this.talk.start(this.room);
    if (this.isStopped) this.talk.stop();
  }

  stop() {
    this.isStopped = true;
    this.talk.stop();
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onVisibility);
  }

  // The state of the room

  /** Looks at the room and its members, at once if the last look is long enough ago. */
  lookSoon() {
    if (this.timer || this.isStopped || document.hidden) return;
    const pause = Math.max(0, PAUSE - (performance.now() - (this.looked ?? 0)));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // the window may be hidden by now: it looks when it is visible again
      if (!document.hidden) this.look();
    }, pause);
  }

  async look() {
    clearTimeout(this.timer);
    // while a look is under way, another one waits for its end
    this.timer = true;
    await Promise.all([this.loadRoom(), this.loadMembers()]);
    this.timer = undefined;
    this.looked = performance.now();
    // a member that lags catches up, or not, without anything else happening in the room
    if (this.members.members?.some(({ connection }) => connection?.lag > 0)) this.lookSoon();
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
    this.lock.disabled = false;
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
    return `${user ? `${userText(user)} · ` : ""}${id} · ${place}`;
  }

  lagOf({ connection, muted }) {
    const parts = [];
    if (muted) parts.push(tag("muted", "warn"));
    if (connection?.lag > 0) parts.push(tag(`${countText(connection.lag)} behind`, "bad"));
    if (connection?.queued_bytes > 65_536) parts.push(tag(`${bytesText(connection.queued_bytes)} unread`, "bad"));
    return parts.length > 0 ? parts : "0";
  }

  actsFor(member) {
    const done = () => this.look();
    const { api, channel, name } = this;
    return element("div", "acts", ...allowed(
      api,
      "moderate",
      button("Kick…", "act bad", () => kick(api, channel, name, member, done)),
      member.muted
        ? button("Unmute…", "act", () => unmute(api, channel, name, member, done))
        : button("Mute…", "act bad", () => sanction(api, "mute", channel, name, member, done)),
      button("Ban…", "act bad", () => sanction(api, "ban", channel, name, member, done)),
    ));
  }
}
