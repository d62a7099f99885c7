// The messages of the shown room. New ones are drawn once a frame, so that a fast room does not stop the page.

import { labelOf, markOf, moreButton } from "./chat-people.js";
import { actionOf, appendText, avatar, dayKey, dayText, element, isBigEmoji, timeText } from "./text.js";

const FIRST_PAGE = 120;
/** At most so many entries are added in one frame; if more wait, only the newest are shown. */
const MOST_IN_A_FRAME = 120;
const MOST_NODES = 2600;
const NODES_KEPT = 2100;
const GROUP_LASTS = 5 * 60_000;
const NEAR = 48;
const DAY_LASTS = 800;
const COUNTED_EVERY = 500;

/** What stands in place of the time. */
function sendingText({ wait }) {
  const left = wait ? Math.ceil((wait.until - performance.now()) / 1000) : 0;
  if (left <= 0) return "Sending…";
  return wait.isSlowMode ? `Waits for slow mode: ${left} s` : `Tries again in ${left} s`;
}

export class Timeline {
  /** @param actions `needOlder()`, `moved()`, `retry(entry)`, `takeBack(entry)`, `discard(entry)`, `mayModerate()`, `moderate(button, target)` */
  constructor(scroller, list, actions) {
    this.scroller = scroller;
    this.list = list;
    this.actions = actions;
    this.isFollowing = true;
    this.lastTop = 0;
    /** The entry of each node, and the node of each entry that is drawn. */
    this.entryOf = new WeakMap();
    this.drawn = new Map();
    this.waiting = [];
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    list.addEventListener("focusin", ({ target }) => this.setTabStop(target.closest(".more")));
    list.addEventListener("keydown", (event) => this.pressed(event));
    const sizes = new ResizeObserver(() => this.stick());
    sizes.observe(scroller);
    sizes.observe(list);
  }

  show(room) {
    this.room = room;
    this.mayModerate = Boolean(room) && this.actions.mayModerate();
    this.clear();
    this.isFollowing = true;
    this.markSeq = room?.markSeq;
    const entries = room?.entries ?? [];
    const from = Math.max(0, Math.min(entries.length - FIRST_PAGE, this.firstUnread(entries) - 20));
    this.from = this.to = entries[from]?.number ?? room?.nextNumber ?? 0;
    if (room) this.append(entries.slice(from));
    this.drawPending();
    const mark = this.list.querySelector(".unread");
    if (mark && room.unread > 0) {
      mark.scrollIntoView({ block: "center" });
      this.lastTop = this.scroller.scrollTop;
      this.isFollowing = this.distance() < NEAR;
    } else this.stick();
    this.actions.moved();
  }

  clear() {
    this.list.replaceChildren();
    this.drawn.clear();
    this.waiting = [];
    this.mark = undefined;
    this.lastEntry = undefined;
  }

  /** Something of the room has changed; draws it with the next frame. */
  changed() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const room = this.room;
    if (!room) return;
    if (room.markSeq !== this.markSeq) this.removeMark();
    this.markSeq = room.markSeq;
    for (const [entry, node] of this.drawn) {
      if (!entry.isChanged) continue;
      entry.isChanged = false;
      const { classList } = node;
      const look = { isFirst: classList.contains("first"), isTimed: !classList.contains("untimed") };
      node.replaceWith(this.place(entry, this.nodeOf(entry, look)));
    }
    const entries = room.entries;
    const missing = room.nextNumber - this.to;
    if (missing > 0) {
      const first = entries.length - missing;
      if (this.isFollowing && (missing > MOST_IN_A_FRAME || first < 0)) {
        this.drop(Math.max(0, entries.length - MOST_IN_A_FRAME));
      } else if (first >= 0 && (this.isFollowing || this.list.childElementCount < MOST_NODES)) {
        this.append(entries.slice(first, first + MOST_IN_A_FRAME));
        if (missing > MOST_IN_A_FRAME) this.changed();
      }
    }
    this.drawPending();
    if (this.isFollowing) this.trim();
    this.stick();
    this.actions.moved();
  }

  /** Forgets what is drawn and begins again at this entry: the frames cannot keep up with the room. */
  drop(index) {
    const entries = this.room.entries;
    this.clear();
    this.from = this.to = entries[index].number;
    this.append(entries.slice(index));
  }

  append(entries) {
    const nodes = document.createDocumentFragment();
    for (const entry of entries) nodes.append(...this.nodesOf(entry, this.lastEntry));
    if (this.mayModerate && !this.list.contains(document.activeElement)) {
      this.setTabStop([...nodes.querySelectorAll(".more")].at(-1));
    }
    this.list.insertBefore(nodes, this.waiting[0] ?? null);
    if (entries.length > 0) this.to = entries.at(-1).number + 1;
  }

  /** The nodes of an entry behind another one. */
  nodesOf(entry, previous) {
    const nodes = [];
    if (!previous || dayKey(previous.time) !== dayKey(entry.time)) nodes.push(this.dayLine(entry));
    if (!this.isMarked && this.room.markSeq !== undefined && entry.seq >= this.room.markSeq) {
      this.mark = this.line("unread", "New messages");
      this.isMarked = true;
      nodes.push(this.mark);
    }
    nodes.push(this.place(entry, this.nodeOf(entry, this.lookOf(nodes.length > 0 ? undefined : previous, entry))));
    this.lastEntry = entry;
    return nodes;
  }

  isOneGroup(previous, entry) {
    if (previous?.kind !== "message" || entry.kind !== "message" || previous.name !== entry.name) return false;
    const isSameSender = entry.isOwn ? previous.isOwn : previous.from === entry.from;
    return isSameSender && entry.time - previous.time < GROUP_LASTS;
  }

  /** Whether the name stands above an entry, and the time beside it: once for all of one minute. */
  lookOf(previous, entry) {
    const isFirst = !this.isOneGroup(previous, entry);
    return { isFirst, isTimed: isFirst || timeText(previous.time) !== timeText(entry.time) };
  }

  place(entry, node) {
    this.drawn.set(entry, node);
    this.entryOf.set(node, entry);
    return node;
  }

  nodeOf(entry, look) {
    return entry.kind === "line" ? this.line(entry.type, entry.text, entry.title) : this.message(entry, look);
  }

  dayLine(entry) {
    const line = this.line("day", dayText(entry.time));
    line.dataset.day = dayKey(entry.time);
    return line;
  }

  line(type, text, title) {
    const span = element("span", "");
    span.dir = "auto";
    if (title) span.append(element("b", "", `${title}: `));
    appendText(span, text);
    return element("li", `line ${type}`, span);
  }

  message(entry, { isFirst, isTimed }) {
    const item = element("li", `message ${entry.isOwn ? "own" : "other"} ${entry.state ?? ""}`);
    item.classList.toggle("first", isFirst);
    item.classList.toggle("untimed", !isTimed && !entry.state);
    if (isFirst && !entry.isOwn) item.append(avatar(entry.name, entry.colour));
    const action = actionOf(entry);
    const isBig = !entry.isGone && isBigEmoji(entry.text);
    const bubble = element("div", `bubble${entry.isGone ? " gone" : ""}${isBig ? " bare" : ""}${entry.mention ? " named" : ""}`);
    bubble.dir = "auto";
    const by = element("bdi", isFirst && !entry.isOwn ? "by" : "heard", entry.isOwn ? "You" : entry.name);
    this.markAuthor(by, entry);
    if (!entry.isOwn) by.style.setProperty("--c", entry.colour);
    const said = element("span", `said${entry.isCode ? " code" : ""}${isBig ? " big" : ""}`);
    if (action !== undefined) said.append("* ", element("bdi", "", entry.name), " ");
    appendText(said, action ?? entry.text, entry.mention);
    const time = element("time", "time", timeText(entry.time));
    time.dateTime = entry.time.toISOString();
    time.title = entry.time.toLocaleString();
    if (entry.state === "sending") time.textContent = sendingText(entry);
    bubble.append(by, said, time);
    const menu = this.mayModerate && !entry.state && this.menuOf(entry);
    const body = element("div", "body", menu ? element("div", "bubble-row", bubble, menu) : bubble);
    if (entry.state === "failed") body.append(this.trouble(entry));
    item.append(body);
    return item;
  }

  /** The button for the menu of a moderator; none where there is nothing to do. */
  menuOf(entry) {
    const person = entry.isMember && !entry.isOwn ? this.room.authorOf(entry) : undefined;
    const messageID = entry.isGone || entry.seq === undefined ? undefined : entry.id;
    if (!messageID && !person) return undefined;
    const button = moreButton(this.menuLabel(entry), (button) => {
      this.actions.moderate(button, { messageID, person: person && this.room.authorOf(entry), entry });
    });
    button.tabIndex = -1;
    return button;
  }

  menuLabel(entry) {
    const author = entry.isOwn ? "yourself" : entry.isMember ? labelOf(this.room, this.room.authorOf(entry)) : entry.name;
    return `Moderate the message of ${author}`;
  }

  /** What tells the writer from others of the name stands behind it. */
  markAuthor(by, entry) {
    const mark = entry.isMember && !entry.isOwn ? markOf(this.room, this.room.authorOf(entry)) : "";
    if (mark === (by.querySelector("small")?.textContent ?? "")) return;
    by.replaceChildren(entry.name, " ", element("small", "", mark));
  }

  /** Who comes may have the name of one who has written. */
  peopleChanged() {
    for (const [entry, node] of this.drawn) {
      const by = node.querySelector(".by, .heard");
      if (by) this.markAuthor(by, entry);
      const button = node.querySelector(".more");
      if (button) button.setAttribute("aria-label", this.menuLabel(entry));
    }
  }

  /** One of these buttons is in the order of Tab: the newest, or the one that was used last. */
  setTabStop(button) {
    if (!button) return;
    if (this.tabStop) this.tabStop.tabIndex = -1;
    button.tabIndex = 0;
    this.tabStop = button;
  }

  /** The arrow keys go from one of these buttons to the next. */
  pressed(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const button = event.target.closest(".more");
    if (!step || !button || event.altKey) return;
    const all = [...this.list.querySelectorAll(".more")];
    all[all.indexOf(button) + step]?.focus();
    event.preventDefault();
  }

  trouble(entry) {
    const retry = element("button", "", "Try again");
    retry.type = "button";
    retry.addEventListener("click", () => this.actions.retry(entry));
    const discard = element("button", "", "Delete");
    discard.type = "button";
    discard.addEventListener("click", () => this.actions.discard(entry));
    const edit = element("button", "", "Edit");
    edit.type = "button";
    edit.addEventListener("click", () => this.actions.takeBack(entry));
    return element("div", "trouble", element("span", "", `Not sent: ${entry.trouble}`), retry, edit, discard);
  }

  drawPending() {
    for (const node of this.waiting) node.remove();
    let previous = this.lastEntry;
    this.waiting = (this.room?.pending ?? []).map((entry) => {
      const node = this.message(entry, this.lookOf(previous, entry));
      previous = entry;
      return node;
    });
    this.list.append(...this.waiting);
    const pending = [...(this.room?.pending ?? [])];
    this.delayed = this.waiting.map((node, index) => [node, pending[index]]).filter(([, { wait }]) => wait);
    this.countDown();
  }

  /** How long what waits still waits. */
  countDown() {
    clearTimeout(this.countdown);
    for (const [node, entry] of this.delayed) node.querySelector(".time").textContent = sendingText(entry);
    if (this.delayed.length > 0) this.countdown = setTimeout(() => this.countDown(), COUNTED_EVERY);
  }

  /** Draws what is older and in memory; says whether there was any. */
  drawOlder() {
    const entries = this.room.entries;
    const end = entries.findIndex((entry) => entry.number >= this.from);
    const count = end < 0 ? 0 : end;
    if (count === 0) return false;
    const older = entries.slice(Math.max(0, count - FIRST_PAGE), count);
    const first = [...this.list.children].find((node) => this.entryOf.has(node));
    const last = this.lastEntry;
    this.lastEntry = undefined;
    const nodes = document.createDocumentFragment();
    for (const entry of older) nodes.append(...this.nodesOf(entry, this.lastEntry));
    this.lastEntry = last ?? older.at(-1);
    if (first) this.join(first, older.at(-1));
    const before = first?.getBoundingClientRect().top;
    this.list.prepend(nodes);
    this.from = older[0].number;
    if (first) this.scroller.scrollTop += this.joined.getBoundingClientRect().top - before;
    this.lastTop = this.scroller.scrollTop;
    return true;
  }

  /** The first node that was drawn has another one before it now. */
  join(node, previous) {
    const entry = this.entryOf.get(node);
    const day = this.list.firstElementChild;
    if (day.dataset.day === String(dayKey(previous.time))) day.remove();
    this.joined = node;
    if (entry.kind !== "message" || !this.isOneGroup(previous, entry) || node.previousElementSibling) return;
    this.joined = this.place(entry, this.message(entry, this.lookOf(previous, entry)));
    node.replaceWith(this.joined);
  }

  trim() {
    if (this.list.childElementCount <= MOST_NODES) return;
    const nodes = [...this.list.children].slice(0, this.list.childElementCount - NODES_KEPT);
    const day = nodes.findLast((node) => node.dataset.day);
    for (const node of nodes) {
      const entry = this.entryOf.get(node);
      if (entry) {
        this.drawn.delete(entry);
        this.from = entry.number + 1;
      }
      node.remove();
    }
    if (day && !this.list.firstElementChild?.dataset.day) this.list.prepend(day);
  }

  firstUnread(entries) {
    const mark = this.room?.markSeq;
    const index = mark === undefined ? -1 : entries.findIndex((entry) => entry.seq >= mark);
    this.isMarked = false;
    return index < 0 ? entries.length : index;
  }

  /** The mark is no longer where one stopped reading. */
  removeMark() {
    this.mark?.remove();
    this.mark = undefined;
    this.isMarked = false;
  }

  // Scrolling

  distance() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
  }

  stick() {
    if (!this.isFollowing) return;
    const height = this.scroller.scrollHeight;
    this.scroller.scrollTop = height;
    this.lastTop = this.scroller.scrollTop;
    // what cannot be scrolled would never show what is older
    if (this.drawn.size > 0 && height <= this.scroller.clientHeight) this.actions.needOlder();
  }

  scrolled() {
    const top = this.scroller.scrollTop;
    const distance = this.distance();
    if (distance < NEAR) {
      if (this.room && this.to < this.room.nextNumber && !this.isFollowing) this.changed();
      else this.isFollowing = true;
    } else if (top < this.lastTop - 1) this.isFollowing = false;
    if (!this.isFollowing && top !== this.lastTop) this.showDay();
    this.lastTop = top;
    if (top < 400 && !this.isFollowing) this.actions.needOlder();
    this.actions.moved();
  }

  /** The day of the messages stays in sight while one scrolls; at rest it would cover them. */
  showDay() {
    clearTimeout(this.dayTimer);
    this.scroller.classList.add("moving");
    this.dayTimer = setTimeout(() => this.scroller.classList.remove("moving"), DAY_LASTS);
  }

  /** Shows the newest messages. */
  toEnd() {
    this.isFollowing = true;
    const entries = this.room?.entries ?? [];
    const isFarAway = this.room && this.room.nextNumber - this.to > MOST_IN_A_FRAME;
    if (isFarAway && entries.length > 0) this.drop(Math.max(0, entries.length - FIRST_PAGE));
    this.stick();
    this.changed();
  }
}
