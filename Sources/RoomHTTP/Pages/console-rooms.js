// The list of rooms of a channel: all of them in memory, one page of them on the screen.

import { path } from "./console-api.js";
import { button, countText, field, link, problemNode, rateText, table, tag } from "./console-parts.js";
import { spark } from "./console-plot.js";
import { element } from "./text.js";

const PER_PAGE = 25;
const EVERY = 5000;
/** The activity of a room in its small line: the last two minutes. */
const POINTS = 24;
const MOST_ROOMS = 100_000;
/** So many rooms come in the order of their activity. */
const BUSIEST = 1000;
const COLUMNS = ["Room", "#Members", "#Messages per second", "Last two minutes", "Rules"];

const ORDERS = {
  activity: (a, b) => (b.rate ?? 0) - (a.rate ?? 0) || (b.changed ?? 0) - (a.changed ?? 0) || byMembers(a, b),
  members: byMembers,
  name: byName,
};

function byMembers(a, b) {
  return b.members - a.members || byName(a, b);
}

function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}

export function rooms({ api, node, events, arguments: [asked] }) {
  const view = new RoomsView(api, node, asked);
  const offEvents = events.on((name, data) => view.happened(name, data));
  return () => {
    offEvents();
    view.stop();
  };
}

class RoomsView {
  constructor(api, node, asked) {
    Object.assign(this, { api, node });
    this.rooms = new Map();
    this.order = "activity";
    this.page = 0;
    this.search = element("input");
    this.search.type = "search";
    this.search.placeholder = "Search";
    this.search.setAttribute("aria-label", "Search in the names of the rooms");
    this.search.addEventListener("input", () => this.changed());
    const choices = [["activity", "by activity"], ["members", "by members"], ["name", "by name"]];
    this.orders = field("", "order", "activity", { choices, "aria-label": "Order" }).querySelector("select");
    this.orders.addEventListener("change", (event) => {
      this.order = event.target.value;
      this.changed();
    });
    this.channels = element("select");
    this.channels.setAttribute("aria-label", "Channel");
    this.channels.addEventListener("change", () => {
      location.hash = `#/rooms/${encodeURIComponent(this.channels.value)}`;
    });
    this.list = element("div");
    this.pageText = element("span");
    this.back = button("Back", "small", () => this.turn(-1));
    this.next = button("Next", "small", () => this.turn(1));
    this.pager = element("div", "pager", this.pageText, element("div", "", this.back, this.next));
    node.append(
      element("div", "head", element("h1", "", "Rooms")),
      element("div", "filters", this.channels, this.search, this.orders),
      element("section", "card flush", this.list, this.pager),
    );
    this.load(asked);
  }

  async load(asked) {
    try {
      const channels = await this.api.list("/channels", "channels");
      this.channel = asked ?? channels.find(({ id }) => id === "default")?.id ?? channels[0]?.id;
      this.channels.append(...channels.map(({ id }) => new Option(id, id, false, id === this.channel)));
      await this.reload();
      if (!this.isStopped) this.timer = setInterval(() => this.sample(), EVERY);
    } catch (error) {
      this.list.replaceChildren(problemNode(error));
    }
  }

  stop() {
    clearInterval(this.timer);
    this.isStopped = true;
  }

  /** Asks for all rooms anew. Before the channel is known, `load` does it a moment later. */
  async reload() {
    if (this.channel === undefined) return;
    const found = await this.api.list(path(this.channel, undefined, "/rooms"), "rooms", { limit: MOST_ROOMS });
    const known = this.rooms;
    this.rooms = new Map(found.map((room) => [room.name, { ...known.get(room.name), ...room, rules: room.rules }]));
    // The page that is shown stays: it is not the reader who has asked for all rooms anew.
    this.isAsked = true;
    this.draw();
    await this.sample();
  }

  happened(name, data) {
    if (name === "missed") this.reload().catch(() => {});
    if (name !== "room_changed" || data.channel !== this.channel) return;
    if (data.members === 0) this.rooms.delete(data.room);
    else {
      const known = this.rooms.get(data.room);
      this.rooms.set(data.room, { ...known, name: data.room, members: data.members, changed: Date.now() });
    }
    this.drawSoon();
  }

  changed() {
    this.page = 0;
    this.isAsked = true;
    this.draw();
    this.sample();
  }

  turn(step) {
    this.page += step;
    this.draw();
    this.sample();
  }

  /** Asks which rooms are the busiest, and then for those on the screen. */
  async sample() {
    if (this.channel === undefined || document.hidden || this.isSampling || this.isStopped) return;
    this.isSampling = true;
    try {
      if (this.order === "activity") await this.rank();
      await Promise.all(this.shown().map((room) => this.sampleRoom(room.name)));
    } catch {
      // no answer: the state of the connection stands at the top of the page
    } finally {
      this.isSampling = false;
    }
    this.draw();
  }

  async rank() {
    const { rooms } = await this.api.get(path(this.channel, undefined, `/rooms?order=activity&limit=${BUSIEST}`));
    for (const room of this.rooms.values()) room.rate &&= 0;
    for (const { name, messages_per_second: rate } of rooms) {
      const room = this.rooms.get(name);
      if (room) room.rate = rate;
    }
  }

  async sampleRoom(name) {
    try {
      const found = await this.api.get(path(this.channel, name));
      const room = this.rooms.get(name);
      if (!room) return;
      const { members, rules, messages_per_second: rate } = found;
      const rates = [...(room.rates ?? []), rate].slice(-POINTS);
      Object.assign(room, { members, rules, rate, rates });
    } catch (error) {
      // the room ended meanwhile, or the broker does not answer
      if (error.status === 404) this.rooms.delete(name);
    }
  }

  fitting() {
    const text = this.search.value.trim().toLowerCase();
    const fitting = [...this.rooms.values()].filter((room) => room.name.toLowerCase().includes(text));
    if (!this.isInUse || this.isAsked || !this.places) {
      fitting.sort(ORDERS[this.order]);
      this.places = new Map(fitting.map((room, index) => [room.name, index]));
      this.isAsked = false;
    }
    const placeOf = (room) => this.places.get(room.name) ?? Infinity;
    return fitting.sort((a, b) => placeOf(a) - placeOf(b) || byName(a, b));
  }

  /** Nothing moves under the pointer or the focus. */
  get isInUse() {
    return this.list.matches(":hover") || this.list.contains(document.activeElement);
  }

  shown() {
    return this.fitting().slice(this.page * PER_PAGE, (this.page + 1) * PER_PAGE);
  }

  drawSoon() {
    this.waiting ||= setTimeout(() => {
      this.waiting = undefined;
      if (!this.isStopped) this.draw();
    }, 500);
  }

  draw() {
    const fitting = this.fitting();
    const pages = Math.max(1, Math.ceil(fitting.length / PER_PAGE));
    this.page = Math.min(this.page, pages - 1);
    this.drawRows(fitting.slice(this.page * PER_PAGE, (this.page + 1) * PER_PAGE));
    const counts = `${countText(fitting.length)} of ${countText(this.rooms.size)} rooms`;
    this.pageText.textContent = `${counts} · page ${this.page + 1} of ${countText(pages)}`;
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page >= pages - 1;
  }

  /** Rows that stay where they are are kept, so that a click or the focus on one is not lost. */
  drawRows(rooms) {
    const names = rooms.map((room) => room.name).join("\n");
    if (names !== this.drawnNames || rooms.length === 0) {
      const none = this.rooms.size === 0 ? "No room of this channel has members now." : "No room has a name like this.";
      const rows = rooms.map((room) => [this.linkTo(room), ...this.cellsOf(room)]);
      this.list.replaceChildren(table(COLUMNS, rows, none));
      this.drawnNames = names;
      return;
    }
    for (const [index, row] of [...this.list.querySelectorAll("tbody tr")].entries()) {
      this.cellsOf(rooms[index]).forEach((cell, column) => row.cells[column + 1].replaceChildren(cell));
    }
  }

  linkTo(room) {
    return link(room.name, `#/room/${encodeURIComponent(this.channel)}/${encodeURIComponent(room.name)}`, "strong");
  }

  cellsOf(room) {
    const rates = Array.from({ length: POINTS }, (_, index) => room.rates?.[index - POINTS + room.rates.length]);
    return [countText(room.members), rateText(room.rate), spark(rates), ruleTags(room.rules)];
  }
}

export function ruleTags(rules) {
  const tags = [];
  if (rules?.locked) tags.push(tag("locked", "warn"));
  if (rules?.slow_mode_seconds) tags.push(tag(`slow: ${rules.slow_mode_seconds} s`));
  if (rules?.member_limit) tags.push(tag(`at most ${countText(rules.member_limit)}`));
  return element("span", "", ...tags);
}
