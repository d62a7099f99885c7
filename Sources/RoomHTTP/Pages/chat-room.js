// One room as the page knows it: its newest entries, its members, what is unread. It has no DOM.

import { Outbox } from "./chat-outbox.js";
import { colourOf, mentions, momentText, nameKey, nameOf, plural, textOf, userOf } from "./text.js";

/** Above this many entries the oldest are forgotten; the history has them. */
const MOST_ENTRIES = 4000;
const TYPING_LASTS = 5000;
const PAGE = 100;
/** How many pages of the history are searched for the reasons of removed messages. */
const MOST_PAGES = 20;
/** Above this many names, users and reasons the oldest are forgotten. */
const MOST_KNOWN = 5000;
const LOCKED = "This room is locked: nobody can write for now.";

const GAPS = {
  trimmed: "the room keeps only its newest messages",
  expired: "they were older than the room keeps messages",
  lost: "the server's file with them is damaged",
  slow: "they came faster than this page could read them",
  denied: "they are further back than you may read",
};

function remember(known, key, value) {
  known.delete(key);
  known.set(key, value);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
}

export class ChatRoom {
  /** @param onChange called with a word for what has changed: "entries", "older", "people", "typing", "state" */
  constructor(name, memory, onChange) {
    this.name = name;
    this.memory = memory;
    this.onChange = (what) => {
      this.identities = undefined;
      onChange(this, what);
    };
    this.entries = [];
    this.outbox = new Outbox(name, memory, { changed: () => this.onChange("pending"), refused: (error) => this.refused(error) });
    this.outbox.isShown = (id) => this.entries.some((known) => known.id === id);
    this.nextNumber = 0;
    this.members = undefined;
    this.memberCount = 0;
    /** The users of the sessions that were here: messages need not say them. */
    this.users = new Map();
    /** The names that each session was seen under, in lower case, and the sessions of each of these names. */
    this.namesOf = new Map();
    this.namesakes = new Map();
    /** The names under which two people were seen: these are told apart from then on. */
    this.shared = new Set();
    /** Why messages were removed, by their ids. */
    this.reasons = new Map();
    this.speakers = new Map();
    this.typists = new Map();
    this.unread = 0;
    /** How many of the unread messages name this person. */
    this.mentions = 0;
    this.place = memory.place(name);
    /** How far one had read before this visit. */
    this.placeBefore = this.place;
    /** The seq of the first message that was not read when it came. */
    this.markSeq = undefined;
    this.hasOlder = true;
    this.state = "joining";
    this.error = undefined;
    this.closed = undefined;
    /** Why one cannot write: for the room, and for the whole channel. */
    this.mutes = {};
    this.isBeingRead = () => false;
  }

  /** Takes the events of a `Room` of roomline.js until it ends. */
  attach(room) {
    this.room = room;
    this.state = "in";
    this.error = undefined;
    room.on("*", (event) => {
      // the room of a connection that was given up still ends
      if (room === this.room) this[`on_${event.type}`]?.(event);
    });
    if (!room.showsMembers) this.members = undefined;
    // an empty room is read, too
    if (this.place === undefined) this.setPlace(room.position);
    this.outbox.enter(room);
    this.onChange("state");
  }

  /** The next connection joins the room. */
  detach() {
    this.room = undefined;
    this.state = "joining";
    this.error = undefined;
    this.forgetRoomRules();
    this.outbox.enter(undefined);
    this.onChange("state");
  }

  get pending() {
    return this.outbox.entries;
  }

  get last() {
    return this.entries.findLast((entry) => entry.kind === "message");
  }

  get firstSeq() {
    return this.entries.find((entry) => entry.seq !== undefined)?.seq;
  }

  // Events

  on_message(event) {
    const entry = this.entryOf(event);
    this.outbox.arrived(entry);
    if (this.typists.delete(entry.from)) this.onChange("typing");
    this.speakers.delete(entry.name);
    this.speakers.set(entry.name, { id: entry.from, user: entry.user, name: entry.name, colour: entry.colour });
    if (this.speakers.size > 100) this.speakers.delete(this.speakers.keys().next().value);
    if (event.isMissed && !this.catchUp) {
      this.catchUp = this.line("recovered", "Catching up…", event.time);
      this.add(this.catchUp);
    }
    this.add(entry);
    this.count(entry, event);
    this.onChange("entries");
  }

  on_recovered({ count }) {
    // another way to the broker is no interruption
    if (count === 0 && !this.isInterrupted) return;
    this.isInterrupted = false;
    const text =
      count > 0
        ? plural(count, "missed message, here it is", "missed messages, here they are")
        : this.isAnew ? "Connected again."
        : "Connected again. Nothing was missed.";
    this.isAnew = false;
    if (this.catchUp) {
      this.catchUp.text = text;
      this.catchUp.isChanged = true;
    } else this.add(this.line("recovered", text));
    this.catchUp = undefined;
    this.onChange("entries");
  }

  on_gap({ reason, from, to, epoch }) {
    const why = GAPS[reason];
    const isAnew = !from || !why;
    const isCleared = reason === "cleared";
    // what was before them may have been removed, and nothing says so any more
    const isTrimmed = !isAnew && ["trimmed", "expired"].includes(reason);
    const line = this.line("gap",
      isCleared ? "A moderator has deleted the earlier messages."
      : isAnew ? "The room has a new log. Messages in between may be gone."
      : `${from === to ? `Message ${to} is` : `Messages ${isTrimmed ? "up" : from} to ${to} are`} gone: ${why}.`);
    if (isCleared || isTrimmed) this.forgetEntries({ epoch, seq: isTrimmed ? to : 0 });
    this.add(line);
    if (isAnew) this.readNewLog(line, epoch);
    this.onChange(isCleared || isTrimmed ? "cleared" : "entries");
  }

  /** What the new log had before this page was told of it: the broker sends only what comes behind. */
  async readNewLog(line, epoch) {
    const { room } = this;
    this.isAnew = true;
    this.hasOlder = false;
    try {
      const page = await room.history({ limit: PAGE });
      if (room !== this.room) return;
      const known = new Set(this.entries.map(({ id }) => id));
      const found = page.messages.filter(({ id }) => !known.has(id)).map((message) => this.entryOf(message));
      const behind = this.entries.slice(this.entries.indexOf(line) + 1);
      // what the broker does not have any more may have been deleted
      this.forgetEntries({ epoch, seq: 0 });
      for (const entry of [line, ...found, ...behind]) this.add(entry);
      for (const entry of found) this.count(entry, { isHistory: false });
      for (const event of page.redactions) this.explain(event);
      this.hasOlder = page.hasMore;
      this.olderThan = page.from;
      this.onChange("cleared");
    } catch {
      // a room without history, or a token that does not let one read it: the line says that messages may be gone
    }
  }

  on_redacted(event) {
    if (this.explain(event)) this.onChange("entries");
  }

  /** Why a message was removed, which may come later, and before the message; the entry, if it is here. */
  explain({ targetID, reason }) {
    remember(this.reasons, targetID, reason);
    const entry = this.entries.findLast((entry) => entry.id === targetID);
    if (entry) this.redact(entry);
    return entry;
  }

  /** What comes with a join has the removed messages, but not the reasons: those are in the history. */
  async findReasons() {
    const { room } = this;
    if (!room || this.isFinding) return;
    this.isFinding = true;
    const isOpen = ({ isGone, id, seq }) => isGone && seq !== undefined && !this.reasons.has(id);
    try {
      let after = this.entries.find(isOpen)?.seq;
      for (let pages = 0; after !== undefined && pages < MOST_PAGES; pages += 1) {
        const page = await room.history({ after, limit: PAGE });
        if (room !== this.room) break;
        const found = page.redactions.filter((event) => this.explain(event));
        if (found.length > 0) this.onChange("entries");
        after = page.hasMore && this.entries.some(isOpen) ? page.to : undefined;
      }
    } catch {
      // a token that does not let one read it, or no connection: the mark stays without the reason
    } finally {
      this.isFinding = false;
    }
  }

  on_cleared({ position }) {
    this.forgetEntries(position);
    this.add(this.line("notice", "A moderator has deleted all messages."));
    this.onChange("cleared");
  }

  forgetEntries(position) {
    this.entries = [];
    this.catchUp = undefined;
    this.hasOlder = false;
    this.unread = this.mentions = 0;
    this.markSeq = undefined;
    this.setPlace(position);
  }

  on_notice({ text, code, sender }) {
    // the notice has the reason, and may stand far above
    if (code === "room_locked") this.closed = text;
    if (code === "room_unlocked") this.closed = undefined;
    const entry = this.line("notice", text);
    entry.title = sender?.clientData?.name ?? "Notice";
    this.add(entry);
    this.onChange("entries");
    this.onChange("state");
  }

  on_muted({ reason, until }, scope = "room") {
    const end = until ? ` until ${momentText(until)}` : "";
    this.mutes[scope] = `You are muted${end}${reason ? `: ${reason}` : ""}`;
    this.onChange("state");
  }

  on_unmuted(_, scope = "room") {
    this.mutes[scope] = undefined;
    this.onChange("state");
  }

  get mutedText() {
    return this.mutes.room ?? this.mutes.channel;
  }

  /** Forgets the rules of the last connection: the broker says again what still holds. */
  forgetRules() {
    this.mutes = {};
    this.forgetRoomRules();
    this.onChange("state");
  }

  /** Those of the room begin anew with each subscribe: they may have changed while one was not in it. */
  forgetRoomRules() {
    this.hasRules = false;
    this.mutes.room = undefined;
    this.closed = undefined;
  }

  /** The rules as a moderator is shown them. */
  setRules({ locked }) {
    this.closed = locked ? (this.closed ?? LOCKED) : undefined;
    this.onChange("state");
  }

  /** What the broker says to one's message may be news of the room. */
  refused({ code }) {
    if (code !== "room_locked") return;
    this.closed ??= LOCKED;
    this.onChange("state");
  }

  on_members({ members, count }) {
    this.members = new Map(members.map((member) => [member.id, member]));
    for (const member of members) this.noteMember(member);
    this.memberCount = count;
    this.onChange("people");
  }

  on_joined({ member }) {
    this.members?.set(member.id, member);
    this.noteMember(member);
    this.memberCount = this.room.memberCount;
    this.onChange("people");
  }

  on_updated({ member }) {
    if (this.members?.has(member.id)) this.members.set(member.id, member);
    this.noteMember(member);
    this.onChange("people");
  }

  on_left({ member }) {
    this.members?.delete(member.id);
    this.memberCount = this.room.memberCount;
    if (this.typists.delete(member.id)) this.onChange("typing");
    this.onChange("people");
  }

  on_typing({ member, isTyping }) {
    if (!member || this.isOwnID(member.id)) return;
    clearTimeout(this.typists.get(member.id)?.timer);
    this.typists.delete(member.id);
    if (isTyping) {
      const timer = setTimeout(() => this.on_typing({ member, isTyping: false }), TYPING_LASTS);
      this.typists.set(member.id, { name: nameOf(member), timer });
    }
    this.onChange("typing");
  }

  on_ended({ error }) {
    // one has left it, or this page has given the connection up
    if (!error || error.code === "closed") return;
    this.end(error);
  }

  end(error) {
    this.room = undefined;
    this.state = "ended";
    this.error = error;
    this.members = undefined;
    this.forgetRoomRules();
    this.outbox.end(error);
    this.onChange("state");
  }

  // People

  isOwnID(id) {
    return this.memory.ownIDs.has(id);
  }

  noteMember(member) {
    const user = userOf(member);
    if (user !== undefined) remember(this.users, member.id, user);
    this.noteName(member.id, nameOf(member));
  }

  /** Somebody is here under this name, or has written under it. */
  noteName(id, name) {
    const key = nameKey(name);
    const names = this.namesOf.get(id) ?? new Map();
    const namesakes = this.namesakes.get(key) ?? new Map();
    remember(names, key, true);
    remember(namesakes, id, true);
    remember(this.namesOf, id, names);
    remember(this.namesakes, key, namesakes);
    for (const name of names.keys()) {
      const others = this.shared.has(name) ? [] : [...(this.namesakes.get(name)?.keys() ?? [])];
      if (!others.some((other) => this.areTwo(id, other))) continue;
      this.shared.add(name);
      this.onChange("people");
    }
  }

  /** Whether they are two people for sure: a session that was here before another one may be of the same person. */
  areTwo(id, other) {
    const areHere = this.members?.has(id) && this.members.has(other);
    const haveUsers = this.users.has(id) && this.users.has(other);
    return (areHere || haveUsers) && this.identityOf({ id }) !== this.identityOf({ id: other });
  }

  /** Who has written a message: the user also where only the list of members says it. */
  authorOf({ from, user, name }) {
    return { id: from, user: user ?? this.users.get(from), name };
  }

  /** What makes two people of one name different: the user, or the session where there is none. */
  identityOf({ id, user }) {
    const known = user ?? this.users.get(id);
    return known === undefined ? `id ${id}` : `user ${known}`;
  }

  /** How many people of this name are here or have written. */
  countOf(name) {
    if (!this.identities) {
      this.identities = new Map();
      const add = (person) => {
        const key = nameKey(person.name);
        if (!this.identities.has(key)) this.identities.set(key, new Set());
        this.identities.get(key).add(this.identityOf(person));
      };
      for (const member of this.members?.values() ?? []) add({ id: member.id, user: userOf(member), name: nameOf(member) });
      for (const entry of this.entries) if (entry.isMember) add(this.authorOf(entry));
    }
    return this.identities.get(nameKey(name))?.size ?? 0;
  }

  /** The sessions of a person that are here; if there is none, the one that is known. */
  sessionsOf(person) {
    const identity = this.identityOf(person);
    const here = [...(this.members?.keys() ?? [])].filter((id) => this.identityOf({ id }) === identity);
    return here.length > 0 ? here : [person.id];
  }

  // Entries

  entryOf(event) {
    const from = event.member?.id ?? event.sender?.id ?? "";
    const entry = {
      kind: "message",
      id: event.id,
      seq: event.seq,
      epoch: event.position?.epoch,
      time: event.time,
      from,
      isMember: Boolean(event.member),
      user: userOf(event.member),
      name: nameOf(event.member, event.sender),
      colour: colourOf(event.member, from),
      isOwn: event.isOwn || this.isOwnID(from),
      ...textOf(event.value),
    };
    if (entry.isMember) this.noteMember(event.member);
    const me = this.memory.profile?.name;
    if (!entry.isOwn && mentions(entry.text, me)) entry.mention = me;
    if (event.isRedacted) {
      this.redact(entry);
      // the redaction of a missed message comes by itself
      if (event.isHistory && !this.reasons.has(event.id)) setTimeout(() => this.findReasons());
    }
    return entry;
  }

  line(type, text, time = new Date()) {
    return { kind: "line", type, text, time };
  }

  redact(entry) {
    const reason = this.reasons.get(entry.id);
    entry.isGone = true;
    entry.text = reason ? `Removed by a moderator: ${reason}` : "Removed by a moderator";
    entry.isCode = false;
    entry.mention = undefined;
    entry.isChanged = true;
  }

  add(entry) {
    entry.number = this.nextNumber++;
    this.entries.push(entry);
    if (this.entries.length > MOST_ENTRIES * 1.25) {
      this.entries.splice(0, this.entries.length - MOST_ENTRIES);
      this.hasOlder = true;
      this.olderThan = undefined;
    }
  }

  /** Puts the page of the history before the oldest entry; false if there is none. */
  async loadOlder() {
    if (!this.room || !this.hasOlder || this.isLoading) return false;
    this.isLoading = true;
    try {
      const page = await this.room.history({ before: this.olderThan ?? this.firstSeq, limit: PAGE });
      for (const event of page.redactions) this.explain(event);
      this.hasOlder = page.hasMore;
      this.olderThan = page.from;
      const first = this.firstSeq ?? Infinity;
      const older = page.messages.filter((message) => message.seq < first).map((message) => this.entryOf(message));
      let number = this.entries[0]?.number ?? 0;
      for (const entry of older.toReversed()) entry.number = --number;
      this.entries.unshift(...older);
      return older.length > 0 || this.hasOlder;
    } catch (error) {
      // a room without history, or a token that does not let one read it; the rest comes and goes
      if (!error.retryable) this.hasOlder = false;
      return false;
    } finally {
      this.isLoading = false;
      this.onChange("older");
    }
  }

  // Unread

  count(entry, event) {
    if (entry.seq === undefined) return;
    const isNew = event.isHistory ? this.isUnreadFromBefore(entry) : !this.isBeingRead(this);
    if (entry.isOwn || !isNew) {
      if (!event.isHistory || this.unread === 0) this.setPlace({ epoch: entry.epoch, seq: entry.seq });
      return;
    }
    if (this.unread === 0) this.markSeq = entry.seq;
    this.unread += 1;
    if (entry.mention) this.mentions += 1;
    this.onChange("unread");
  }

  isUnreadFromBefore(entry) {
    const before = this.placeBefore;
    return before !== undefined && before.epoch === entry.epoch && entry.seq > before.seq;
  }

  markRead() {
    const newest = this.entries.findLast((entry) => entry.seq !== undefined);
    if (newest) this.setPlace({ epoch: newest.epoch, seq: newest.seq });
    if (this.unread === 0) return;
    this.unread = this.mentions = 0;
    this.onChange("unread");
  }

  setPlace(place) {
    if (!place?.epoch) return;
    this.place = place;
    this.memory.setPlace(this.name, place);
  }

  // Writing

  send(text) {
    this.markSeq = undefined;
    this.outbox.send(text);
  }
}
