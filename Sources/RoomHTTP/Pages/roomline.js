// The JavaScript client of Roomline, for browsers and node. See docs/javascript.md, and roomline.d.ts for the types.

const retryableCodes = new Set([
  "handshake_timeout", "rate_limited", "too_many_members", "too_many_connections", "storage_unavailable",
  "slow_consumer", "heartbeat_timeout", "shutting_down", "internal",
  "connection_failed", "connection_lost", "not_connected", "timed_out", "outbox_full", "token_provider_failed",
]);

export class RoomlineError extends Error {
  constructor(code, message, { cause, retryIn } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RoomlineError";
    this.code = code;
    this.retryable = retryableCodes.has(code);
    this.retryIn = retryIn;
  }
}

/** The error that the broker reports. */
function refusal({ code, error, reason, retry_after_ms: retryIn }) {
  return new RoomlineError(code, error ?? reason, { retryIn });
}

/** The clock of all pauses and deadlines, in milliseconds: nobody sets it back, as a person may do with that of `Date`. */
const now = () => performance.now();

/** Why the client is not in the room any more. Of a ban the broker says all in one sentence. */
function removal({ room, code, reason }) {
  return new RoomlineError(code, code === "banned" ? reason : `removed from "${room}": ${reason}`);
}

/** "Full jitter": a random pause below a limit that doubles with each failure, or the one that the broker asks for. */
function pauseBefore(attempt, { base, cap }, atLeast = 0) {
  return Math.max(Math.random() * Math.min(cap, base * 2 ** attempt), atLeast);
}

/** A UUID of version 4. `crypto.randomUUID` does not exist on pages without TLS. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The time of an id, which is a UUID of version 7. */
function timeOf(id) {
  return new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

function encoded(value) {
  let text;
  let cause;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw new RoomlineError("encoding_failed", "the value cannot be written as JSON", { cause });
  return text;
}

/** The token that an app gives, without the newline at the end of a file or of an answer; `undefined` if it is none. */
const tokenText = (value) => (typeof value === "string" && value.trim()) || undefined;

/** What may name a user: numbers there keep their digits under this symbol, since JSON.parse rounds those above 2^53. */
const naming = ["authData", "id", "user_id", "sub"];
const digits = Symbol.for("roomline.digits");

function parsed(text) {
  if (!text.includes('"authData"') || !/"(?:authData|id|user_id|sub)"\s*:\s*-?\d/.test(text)) return JSON.parse(text);
  return JSON.parse(text, function (key, value, context) {
    if (typeof value === "number" && context?.source && naming.includes(key)) {
      Object.defineProperty(this, digits, { value: { ...this[digits], [key]: context.source }, configurable: true });
    }
    return value;
  });
}

/** Names what an app has given in place of a token. */
function noToken(giver, value) {
  const what = typeof value === "string" ? "an empty string" : value === null ? "null" : typeof value;
  return `${giver} ${what} where a string with a token is needed`;
}

class Listeners {
  #byType = new Map();

  on(type, listener) {
    if (!this.#byType.has(type)) this.#byType.set(type, new Set());
    this.#byType.get(type).add(listener);
    return () => this.#byType.get(type).delete(listener);
  }

  emit(event) {
    for (const listener of [...(this.#byType.get(event.type) ?? []), ...(this.#byType.get("*") ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        // Reported as uncaught, as of an event target; the client and the other listeners go on.
        queueMicrotask(() => { throw error; });
      }
    }
  }
}

// ---- one room

/**
 * The events that one reader of a room has not read yet. When the buffer is full, it drops new events and remembers
 * which entries of the log they were; when the reader has caught up, it fetches these from the history.
 */
class Feed {
  #room;
  #limit;
  #events = [];
  #bytes = 0;
  /** The dropped entries of the log: one range of one epoch. */
  #missing;
  /** The page of them that is on its way, for all who wait. */
  #fetching;
  #isPresenceStale = false;
  #isEnded = false;
  /** Resolves when something has come. */
  #news;
  #wake = () => {};

  constructor(room, limit) {
    this.#room = room;
    this.#limit = limit;
  }

  add(event, size) {
    const isFull = this.#missing || !(this.#events.length === 0 || this.#fits(size));
    switch (event.type) {
      case "redacted":
        this.#bury(event);
        // falls through: it has a place in the log
      case "message":
        if (!isFull) this.#push(event, size);
        else if (event.seq) this.#miss(event);
        break;
      case "members": case "joined": case "left": case "updated":
        if (isFull || this.#isPresenceStale) this.#isPresenceStale = true;
        else this.#push(event, size);
        break;
      case "typing": case "notice":
        if (!isFull) this.#push(event, size);
        break;
      case "gap":
        if (event.from && event.epoch === this.#missing?.epoch) {
          this.#missing.to = Math.max(this.#missing.to, event.to); // the fetch finds the same gap
          break;
        }
        this.#giveUp(event.reason);
        this.#push(event, size);
        break;
      case "cleared":
        this.#missing = undefined;
        this.#events = this.#events.filter(({ event }) => !event.seq && event.type !== "gap");
        this.#bytes = this.#events.reduce((sum, { size }) => sum + size, 0);
        this.#push(event, size);
        break;
      case "ended":
        this.#giveUp("slow");
        this.#isEnded = true;
        // falls through
      default:
        this.#push(event, size);
    }
    this.wake();
  }

  wake() {
    this.#news = undefined;
    this.#wake();
  }

  async next() {
    for (;;) {
      const first = this.#events.shift();
      if (first) {
        this.#bytes -= first.size;
        return { value: first.event, done: false };
      }
      if (this.#isEnded) return { value: undefined, done: true };
      if (this.#missing) {
        await (this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined)));
      } else if (this.#isPresenceStale) {
        this.#isPresenceStale = false;
        this.#push(this.#room.membersEvent(), 0);
      } else {
        await this.#woken();
      }
    }
  }

  async return() {
    this.#room.feeds.delete(this);
    this.#isEnded = true;
    this.#events = [];
    this.wake();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  #woken() {
    this.#news ??= new Promise((resolve) => { this.#wake = resolve; });
    return this.#news;
  }

  #fits(size) {
    return this.#events.length < this.#limit.count && this.#bytes + size <= this.#limit.bytes;
  }

  #push(event, size) {
    this.#events.push({ event, size });
    this.#bytes += size;
  }

  /** Replaces a message that nobody has read yet by its tombstone. */
  #bury({ targetID }) {
    const unread = this.#events.find(({ event }) => event.type === "message" && event.id === targetID);
    if (unread) unread.event = { ...unread.event, value: null, isRedacted: true };
  }

  #miss({ seq, position: { epoch } }) {
    if (this.#missing) this.#missing.to = seq;
    else this.#missing = { epoch, from: seq, to: seq };
  }

  #giveUp(reason) {
    const { epoch, from, to } = this.#missing ?? {};
    this.#missing = undefined;
    if (from) this.#push({ type: "gap", reason, epoch, from, to }, 0);
  }

  async #fetch() {
    const missing = this.#missing;
    const through = missing.to;
    try {
      const { entries, more } = await this.#room.page(missing);
      // Benign race: the log was replaced or the reader has gone while the answer was on its way.
      if (this.#missing === missing) this.#fill(missing, entries, more, through);
    } catch (error) {
      if (this.#missing !== missing) return;
      const { code } = error;
      if (code === "connection_lost" || code === "not_connected") return this.#woken(); // by the next subscribe
      if (!error.retryable) return this.#giveUp(code === "permission_denied" ? "denied" : "slow");
      await new Promise((resolve) => setTimeout(resolve, error.retryIn ?? 1000));
    }
  }

  #fill(missing, entries, more, through) {
    const start = missing.from;
    for (const { event, size } of entries) {
      if (event.seq > missing.to) break; // it comes by itself
      if (event.seq < missing.from) continue;
      this.#trim(missing, event.seq - 1);
      if (event.type === "redacted") this.#bury(event);
      this.#push(event, size);
      missing.from = event.seq + 1;
    }
    // A page that has brought nothing would bring nothing again.
    if (!more || missing.from === start) this.#trim(missing, through);
    if (missing.from > missing.to) this.#missing = undefined;
  }

  /** The history has nothing from the first missing entry up to here. */
  #trim(missing, to) {
    if (missing.from > to) return;
    this.#push({ type: "gap", reason: "trimmed", epoch: missing.epoch, from: missing.from, to }, 0);
    missing.from = to + 1;
  }
}

/** The state of a room that the app is in: decides what is new, what is a repeat, and where to continue. */
class JoinedRoom {
  name;
  client;
  members = new Map();
  memberCount = 0;
  /** False in a very large room: only the count is known. */
  #isListed = true;
  /** Whether the broker shows who is in the room. */
  showsMembers = false;
  #asksPresence;
  /** The members that have come before the answer to the subscribe; a broker may send them on either side of it. */
  #early;
  /** After the last entry received; `undefined` until the first subscribe is answered. */
  position;
  error;
  feeds = new Set();
  /** Whether frames are for this membership: not before the answer to its subscribe. */
  isSubscribed = false;
  /** Refusals of the subscribe in a row. */
  refusals = 0;
  /** Settles the call of `join`. */
  joining;
  /** Called once, at the end. */
  whenEnded = () => {};
  hasEnded = false;
  #historyCount;
  /** Entries up to here are older than the join. */
  #joinedAt = 0;
  /** No entry of the requested history has come. It may begin anywhere, because redactions in between do not count. */
  #awaitsHistory = false;
  /** The entries that the last interruption has delayed: after `from`, up to `to`. */
  #missed = { from: 0, to: 0 };
  /** After a resubscribe: how many missed messages have come, and whether a gap is announced. */
  #catchUp;

  constructor(client, name, { history = 0, since, presence = true }, buffer) {
    this.client = client;
    this.name = name;
    this.position = since;
    this.#joinedAt = since?.seq ?? 0;
    this.#historyCount = history;
    this.#asksPresence = presence;
    this.buffer = buffer;
    this.firstFeed = this.feed();
  }

  feed() {
    const feed = new Feed(this, this.buffer);
    this.feeds.add(feed);
    if (this.hasEnded) feed.add({ type: "ended", error: this.error }, 0);
    return feed;
  }

  /** The fields of the next subscribe. */
  get request() {
    const where = this.position ? { since: this.position } : { history_count: this.#historyCount };
    return { type: "subscribe", room: this.name, ...where, presence: this.#asksPresence, overflow: "drop_oldest" };
  }

  /** The connection is not the one of the last subscribe any more. */
  interrupted() {
    this.isSubscribed = false;
    this.#early = undefined;
  }

  /** A frame before the answer to the subscribe. All others than this are for a membership that has ended. */
  receivedEarly(frame, size) {
    if (frame.type === "observable_members") this.#early = { frame, size };
  }

  subscribed({ epoch, seq, recovered, presence }) {
    const { position } = this;
    this.isSubscribed = true;
    this.refusals = 0;
    if (position) this.#catchUp = { count: this.#catchUp?.count ?? 0, awaitsGap: !recovered };
    if (position?.epoch === epoch && position.seq <= seq) {
      const from = position.seq > this.#missed.to ? position.seq : this.#missed.from;
      this.#missed = { from: Math.min(from, position.seq), to: seq };
    } else {
      // The first time; or another log, which a `gap` announces and nothing of which is replayed.
      const asked = position ? 0 : Math.min(this.#historyCount, seq);
      this.#restart({ epoch, seq });
      this.position = { epoch, seq: seq - asked };
      this.#awaitsHistory = asked > 0;
    }
    if (presence === false) this.#hideMembers();
    else if (this.#early) this.received(this.#early.frame, this.#early.size);
    this.#early = undefined;
    if (presence) this.showsMembers = true;
    this.joining?.resolve();
    this.joining = undefined;
    for (const feed of this.feeds) feed.wake();
    this.#checkCaughtUp();
  }

  #hideMembers() {
    this.showsMembers = false;
    this.members.clear();
    this.memberCount = 0;
  }

  /** The room continues after this position, perhaps in another log. */
  #restart(position) {
    this.position = position;
    this.#joinedAt = position.seq;
    this.#awaitsHistory = false;
    this.#missed = { from: 0, to: 0 };
  }

  received(frame, size) {
    const { type, data: member } = frame;
    switch (type) {
      case "publish": case "history_message": case "message_redacted":
        if (frame.seq > this.#missed.to) this.#caughtUp();
        if (frame.seq && !this.#advances(frame.seq)) return;
        if (this.#catchUp && frame.seq && type === "publish") this.#catchUp.count += 1;
        this.#tell(this.event(frame), size);
        this.#checkCaughtUp();
        break;
      case "observable_members":
        this.showsMembers = true;
        this.members = new Map([...member].reverse().map((each) => [each.id, each])); // the broker lists the newest first
        this.memberCount = frame.count;
        this.#isListed = this.members.size === frame.count;
        this.#tell(this.membersEvent(), size);
        break;
      case "observable_member_join":
        if (this.#isListed) this.members.set(member.id, member);
        this.memberCount = this.#isListed ? this.members.size : this.memberCount + 1;
        this.#tell({ type: "joined", member }, size);
        break;
      case "observable_member_leave":
        this.members.delete(member.id);
        this.memberCount = this.#isListed ? this.members.size : this.memberCount - 1;
        this.#tell({ type: "left", member }, size);
        break;
      case "observable_member_update":
        if (this.members.has(member.id)) this.members.set(member.id, member);
        this.#tell({ type: "updated", member }, size);
        break;
      case "gap":
        this.#lost(frame);
        if (this.#catchUp) this.#catchUp.awaitsGap = false;
        this.#checkCaughtUp();
        break;
      case "room_cleared":
        this.#restart({ epoch: frame.epoch, seq: frame.seq });
        this.#tell({ type: "cleared", position: this.position, sender: frame.sender }, 0);
        this.#checkCaughtUp();
        break;
      case "notice": case "muted": case "unmuted":
        this.#tell(channelEvent(frame), size);
        break;
      default:
        // an entry of a kind that only newer brokers have is no gap
        if (frame.seq > this.#missed.to) this.#caughtUp();
        if (frame.seq) this.#advances(frame.seq);
        this.#checkCaughtUp();
    }
  }

  /** Whether the entry is new. An entry that does not follow the last one comes after a gap. */
  #advances(seq) {
    const { epoch, seq: last } = this.position;
    const isFirst = this.#awaitsHistory;
    this.#awaitsHistory = false;
    if (seq <= last && !isFirst) return false;
    this.position = { epoch, seq };
    const from = Math.max(last, this.#joinedAt) + 1;
    if (from < seq) this.#tell({ type: "gap", reason: "slow", epoch, from, to: seq - 1 }, 0);
    return true;
  }

  /** The broker reports missing entries. The app learns of those that it does not have and that are not older than the history it asked for. */
  #lost({ reason, epoch, from_seq: first, to_seq: to }) {
    const { epoch: present, seq: last } = this.position;
    if (reason === "epoch" || reason === "cleared") {
      this.#restart({ epoch, seq: to });
      return this.#tell({ type: "gap", reason, epoch }, 0);
    }
    if (epoch !== present || first > to) return this.#tell({ type: "gap", reason, epoch }, 0);
    if (to > last) this.position = { epoch, seq: to };
    // a history may begin later than asked for, and has no hole but what is damaged
    const from = Math.max(first, last + 1, reason === "lost" ? 0 : this.#joinedAt + 1);
    if (from <= to) this.#tell({ type: "gap", reason, epoch, from, to }, 0);
  }

  #checkCaughtUp() {
    if (!this.#catchUp?.awaitsGap && this.position.seq >= this.#missed.to) this.#caughtUp();
  }

  #caughtUp() {
    if (!this.#catchUp) return;
    const { count } = this.#catchUp;
    this.#catchUp = undefined;
    this.#tell({ type: "recovered", count }, 0);
  }

  membersEvent() {
    return { type: "members", members: [...this.members.values()], count: this.memberCount };
  }

  /** The event of a message or a redaction. */
  event({ type, id, seq, sender, message, redacted, reason, target_id, target_seq }, isPage = false) {
    const position = seq ? { epoch: this.position?.epoch, seq } : undefined;
    const entry = { id, seq, position, time: timeOf(id), sender };
    if (type === "message_redacted") {
      return { type: "redacted", ...entry, targetID: target_id, targetSeq: target_seq, reason };
    }
    const member = sender.kind ? undefined : sender;
    const isOwn = member !== undefined && this.client.hasBeen(member.id);
    if (!seq && member && typeof message?.typing === "boolean") {
      return { type: "typing", member, isTyping: message.typing, isOwn };
    }
    const isHistory = isPage || seq <= this.#joinedAt;
    const isMissed = !isPage && seq > this.#missed.from && seq <= this.#missed.to;
    const isRedacted = redacted ?? false;
    return { type: "message", ...entry, value: message, member, isOwn, isHistory, isMissed, isRedacted };
  }

  /** A page of the history for a feed that has dropped entries. */
  async page({ epoch, from }) {
    if (!this.isSubscribed) throw new RoomlineError("not_connected", "not in the room at the moment");
    if (this.position.epoch !== epoch) throw new RoomlineError("history_off", "the room has another log");
    const request = { type: "history", room: this.name, after_seq: from - 1, limit: 1000 };
    const { messages, more } = await this.client.ask(request, { onLoss: "fail" });
    const entries = messages.map((frame) => ({ event: this.event(frame), size: JSON.stringify(frame).length }));
    return { entries, more };
  }

  end(error) {
    this.error = error;
    this.hasEnded = true;
    this.isSubscribed = false;
    this.joining?.reject(error ?? new RoomlineError("closed", `"${this.name}" was left, or joined again`));
    this.joining = undefined;
    this.whenEnded();
    this.#tell({ type: "ended", error }, 0);
  }

  #tell(event, size) {
    for (const feed of this.feeds) feed.add(event, size);
  }
}

function channelEvent({ type, text, code, seconds, sender, reason, until }) {
  if (type === "notice") return { type, text, code, seconds, sender };
  return { type, reason, until: until && new Date(until * 1000) };
}

/** A room that the app is in. `Roomline.join` makes it. */
export class Room {
  #joined;
  #client;
  #listeners = new Listeners();
  #isPumping = false;
  #lastTyping = -Infinity;

  constructor(joined, client) {
    this.#joined = joined;
    this.#client = client;
  }

  get name() { return this.#joined.name; }
  get members() { return [...this.#joined.members.values()]; }
  get memberCount() { return this.#joined.memberCount; }
  get showsMembers() { return this.#joined.showsMembers; }
  get position() { return this.#joined.position; }
  get error() { return this.#joined.error; }

  /** The first reader gets everything since the join. */
  [Symbol.asyncIterator]() {
    const feed = this.#joined.firstFeed ?? this.#joined.feed();
    this.#joined.firstFeed = undefined;
    return feed;
  }

  on(type, listener) {
    if (!this.#isPumping) this.#pump();
    return this.#listeners.on(type, listener);
  }

  async #pump() {
    this.#isPumping = true;
    for await (const event of this) this.#listeners.emit(event);
  }

  publish(value, options) {
    this.#lastTyping = -Infinity;
    return this.#client.publish(this.name, value, options);
  }

  typing(isTyping = true) {
    const isTold = now() - this.#lastTyping < 3000;
    if (isTyping === isTold || this.#client.state !== "connected") return;
    this.#lastTyping = isTyping ? now() : -Infinity;
    // Nobody misses a typing indicator that was refused.
    this.#client.publish(this.name, { typing: isTyping }, { ephemeral: true }).catch(() => {});
  }

  async history({ before, after, limit } = {}) {
    const request = { type: "history", room: this.name, before_seq: before, after_seq: after, limit };
    const { messages: entries, more: hasMore } = await this.#joined.client.ask(request);
    const events = entries.map((frame) => this.#joined.event(frame, true));
    const messages = events.filter(({ type }) => type === "message");
    const redactions = events.filter(({ type }) => type === "redacted");
    return { messages, redactions, from: entries[0]?.seq, to: entries.at(-1)?.seq, hasMore };
  }

  async moderate(action, fields) {
    const act = (action, fields) => {
      return this.#joined.client.ask({ ...fields, type: "moderate", room: this.name, action }, { onLoss: "fail" });
    };
    const reply = await act(action, fields);
    const { rules, sanctions, total, author } = reply;
    if (rules) return { rules, sanctions, total, author };
    let { count, after_seq } = reply;
    // One request looks at a part of the log.
    while (after_seq !== undefined) {
      const { user, client_id, reason } = fields;
      const more = await act("redact", { user, client_id, reason, after_seq });
      count += more.count;
      after_seq = more.after_seq;
    }
    return count === undefined ? undefined : { count };
  }

  leave() {
    return this.#joined.client.leave(this.#joined);
  }
}

// ---- the connection

/** One connection by WebSocket. `EventsLink` has the same methods, and calls the same handlers. */
class WebSocketLink {
  #socket;

  constructor(url, WebSocket, { opened, received, ended }) {
    let isOpen = false;
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => {
      isOpen = true;
      opened();
    };
    this.#socket.onmessage = ({ data }) => received(data);
    this.#socket.onclose = ({ code, reason }) => ended(isOpen, code, reason);
    // A close follows; except in node before version 22 when there was no connection.
    this.#socket.onerror = () => {
      if (!isOpen) ended(isOpen);
    };
  }

  send(text) {
    if (this.#socket.readyState === 1) this.#socket.send(text);
  }

  close() {
    this.#socket.close(1000);
  }
}

/** One connection by an event stream, for where something between takes no WebSocket: frames go up by POST. */
class EventsLink {
  #url;
  #fetch;
  #handlers;
  #abort = new AbortController();
  #secret;
  /** Frames that no POST has taken: there is one at a time, so that they keep their order. */
  #waiting = [];
  #isPosting = false;
  #isClosing = false;

  constructor(url, fetch, handlers) {
    // The last name of the path is another one.
    this.#url = new URL("events", url.replace(/^ws/, "http")).href;
    this.#fetch = fetch;
    this.#handlers = handlers;
    this.#read().catch((error) => this.#end(error));
  }

  #call(options) {
    const { signal } = this.#abort;
    return this.#fetch.call(globalThis, this.#url, { ...options, signal, cache: "no-store", credentials: "omit" });
  }

  async #read() {
    const response = await this.#call({ headers: { Accept: "text/event-stream" } });
    if (response.status !== 200) throw new Error(`the answer has the status ${response.status}`);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let name = "";
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the event stream has ended");
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") name = "";
        else if (line.startsWith("event: ")) name = line.slice(7);
        else if (line.startsWith("data: ")) this.#received(name, line.slice(6));
      }
    }
  }

  #received(name, data) {
    if (name !== "session") return this.#handlers.received(data);
    this.#secret = JSON.parse(data).session;
    this.#handlers.opened();
  }

  send(text) {
    this.#waiting.push(text);
    if (this.#secret && !this.#isPosting) this.#post().catch((error) => this.#end(error));
  }

  async #post() {
    this.#isPosting = true;
    while (this.#waiting.length > 0) {
      const response = await this.#call({
        method: "POST", body: this.#takeLines(),
        headers: { "Content-Type": "application/jsonl", "Roomline-Session": this.#secret },
      });
      // Unread, it would keep the connection from the next one.
      await response.arrayBuffer();
      if (response.status !== 204) throw new Error(`the answer to a POST has the status ${response.status}`);
    }
    this.#isPosting = false;
    if (this.#isClosing) this.#abort.abort();
  }

  /** As many frames as a body can have, whatever their characters take in UTF-8. */
  #takeLines() {
    let count = 1;
    for (let size = this.#waiting[0].length; count < this.#waiting.length; count += 1) {
      size += this.#waiting[count].length;
      if (size > 64 * 1024) break;
    }
    return this.#waiting.splice(0, count).join("\n");
  }

  #end({ message }) {
    this.#abort.abort();
    this.#handlers.ended(this.#secret !== undefined, 1006, message);
  }

  /** Frames that were sent still go out, as those of a WebSocket do. */
  close() {
    this.#isClosing = true;
    if (!this.#isPosting) return this.#abort.abort();
    setTimeout(() => this.#abort.abort(), 1000);
  }
}

/** Detects a dead network: after an interval without data it sends a ping, after another one it gives up. */
class KeepAlive {
  #interval;
  #ping;
  #giveUp;
  #timer;
  #heardAt;
  #hasPinged;

  constructor(interval, { ping, giveUp }) {
    this.#interval = interval;
    this.#ping = ping;
    this.#giveUp = giveUp;
    this.heard();
    this.#look(interval);
  }

  heard() {
    this.#heardAt = now();
    this.#hasPinged = false;
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #look(pause) {
    this.#timer = setTimeout(() => {
      const silence = Math.round(now() - this.#heardAt);
      if (silence < this.#interval) return this.#look(this.#interval - silence);
      if (this.#hasPinged) return this.#giveUp(silence);
      this.#hasPinged = true;
      this.#ping();
      this.#look(this.#interval);
    }, pause);
  }
}

/** Tells what changes around a page: there is another network, or somebody looks at the page again. Node has none of it. */
class Surroundings {
  #end = new AbortController();

  constructor({ networkChanged, shown }) {
    const { signal } = this.#end;
    const { document, navigator } = globalThis;
    globalThis.addEventListener?.("online", networkChanged, { signal });
    const network = navigator?.connection;
    let kind = network?.type;
    network?.addEventListener?.("change", () => {
      // Its speed changes all the time.
      if (kind === network.type) return;
      kind = network.type;
      networkChanged();
    }, { signal });
    document?.addEventListener("visibilitychange", () => isVisible() && shown(), { signal });
  }

  stop() {
    this.#end.abort();
  }
}

const isVisible = () => globalThis.document?.visibilityState === "visible";

/** A connection that lasts shorter counts as a failed attempt. */
const provenAfter = 5000;
/** While somebody looks at the page, a pause is not longer, unless the broker asks for it. */
const longestVisiblePause = 5000;
/** A client on an event stream looks for WebSocket this often. */
const trialEvery = 5 * 60_000;
/** As long as a request that cannot be repeated waits for its answer, the client does not change its connection. */
const trialAgain = 1000;

/**
 * The connection to the broker, over all attempts. It tells the client when it is `opened`, what it has `received`, and
 * when it is `disconnected`, for a pause or for good.
 */
class Connection {
  state = "idle";
  /** Why it is waiting or closed. */
  error;
  #options;
  #client;
  #link;
  #attempt = 0;
  #readyAt = 0;
  #timer;
  /** The broker has asked not to come back earlier. */
  #notBefore = 0;
  #keepAlive;
  /** Attempts in a row that have not come as far as an accepted handshake. */
  #failures = 0;
  /** The transport that has come so far last. */
  #proven = "websocket";
  #transport;
  /** When WebSocket may be tried again where events work. */
  #nextTrial = -Infinity;
  #trialTimer;
  #surroundings;

  constructor(options, client) {
    this.#options = options;
    this.#client = client;
  }

  /** Changes with each attempt; `undefined` while there is none. */
  get current() {
    return this.#link;
  }

  get isReady() {
    return this.state === "connected";
  }

  /** The error that closed it; `undefined` while connections are possible. */
  get finalError() {
    return this.state === "closed" ? (this.error ?? new RoomlineError("closed", "the client was closed")) : undefined;
  }

  /** Something needs a connection. */
  want() {
    if (this.state === "idle") this.#open();
  }

  /** Ends the pause, but not the one that the broker has asked for. */
  hurry() {
    if (this.state === "waiting") this.#openIn(Math.max(0, this.#notBefore - now()));
  }

  send(text) {
    this.#link?.send(text);
  }

  /** The broker has accepted this client. */
  ready() {
    clearTimeout(this.#timer);
    this.state = "connected";
    this.error = undefined;
    this.#readyAt = now();
    this.#failures = 0;
    this.#proven = this.#transport;
    if (this.#canTry()) this.#tryLater(trialEvery);
    this.#keepAlive = new KeepAlive(this.#options.heartbeat * 1000, {
      ping: () => this.send('{"type":"ping"}'),
      giveUp: (silence) => {
        this.end(new RoomlineError("connection_lost", `the broker has sent nothing for ${silence} ms`));
      },
    });
  }

  /** The connection has ended, or could not be opened. `isFinal`: there will not be another one. */
  end(error, isFinal = false) {
    if (this.state === "closed") return;
    if (this.isReady && now() - this.#readyAt >= provenAfter) this.#attempt = 0;
    if (!this.isReady) this.#failures += 1;
    const link = this.#link;
    this.#link = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#trialTimer);
    this.#keepAlive?.stop();
    this.state = isFinal ? "closed" : "waiting";
    this.error = error;
    link?.close();
    if (isFinal) {
      this.#surroundings?.stop();
      return this.#client.disconnected();
    }
    const { base, cap } = this.#options.backoff;
    const limits = { base, cap: isVisible() ? Math.min(cap, longestVisiblePause) : cap };
    const pause = pauseBefore(this.#attempt, limits, error.retryIn);
    this.#attempt += 1;
    this.#notBefore = now() + (error.retryIn ?? 0);
    this.#openIn(pause);
    this.#client.disconnected(pause);
  }

  #openIn(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  /**
   * After two failures every other attempt is with the other transport. Which one is proven does not change by that: a
   * broker that is away refuses both.
   */
  #nextTransport() {
    const { transport, WebSocket, fetch } = this.#options;
    if (transport !== "auto") return transport;
    if (!WebSocket || !fetch) return WebSocket ? "websocket" : "events";
    const isOther = this.#failures >= 2 && this.#failures % 2 === 0;
    return (this.#proven === "events") === isOther ? "websocket" : "events";
  }

  #open(transport = this.#nextTransport()) {
    const { url, WebSocket, fetch, connectTimeout } = this.#options;
    this.#surroundings ??= new Surroundings({
      networkChanged: () => this.#networkChanged(),
      shown: () => this.hurry(),
    });
    this.#transport = transport;
    clearTimeout(this.#timer);
    const late = new RoomlineError("timed_out", `connecting took longer than ${connectTimeout} ms`);
    this.#timer = setTimeout(() => this.end(late), connectTimeout);
    this.state = "connecting";
    const ifCurrent = (work) => (...values) => {
      if (link === this.#link) work(...values);
    };
    let link;
    try {
      const handlers = {
        opened: ifCurrent(() => this.#opened()),
        received: ifCurrent((text) => {
          this.#keepAlive?.heard();
          this.#client.received(text);
        }),
        ended: ifCurrent((wasOpen, code, reason) => (wasOpen ? this.#lost(code, reason) : this.#failed())),
      };
      link = transport === "events" ? new EventsLink(url, fetch, handlers) : new WebSocketLink(url, WebSocket, handlers);
    } catch (cause) {
      return this.#failed(cause);
    }
    this.#link = link;
    this.#client.changed();
  }

  /** The way is open. An event stream is used only if WebSocket does not work at the same time. */
  async #opened() {
    const link = this.#link;
    if (this.#canTry() && now() >= this.#nextTrial) {
      const works = await this.#tryWebSocket();
      if (link !== this.#link) return;
      if (works) return this.#changeToWebSocket();
    }
    this.#client.opened();
  }

  #canTry() {
    const { transport, WebSocket } = this.#options;
    return this.#transport === "events" && transport === "auto" && WebSocket !== undefined;
  }

  /** Whether a WebSocket opens and brings an answer: a proxy may break either. */
  #tryWebSocket() {
    const { url, WebSocket, connectTimeout } = this.#options;
    this.#nextTrial = now() + trialEvery;
    return new Promise((resolve) => {
      let link;
      const finish = (works) => {
        const tried = link;
        link = undefined;
        clearTimeout(timer);
        tried?.close(); // in node the end is told within this call
        resolve(works);
      };
      const timer = setTimeout(() => finish(false), connectTimeout * 0.3);
      try {
        link = new WebSocketLink(url, WebSocket, {
          opened: () => link.send('{"type":"ping"}'),
          received: () => finish(true),
          ended: () => finish(false),
        });
      } catch {
        finish(false); // as an attempt that cannot begin
      }
    });
  }

  #tryLater(pause) {
    clearTimeout(this.#trialTimer);
    this.#trialTimer = setTimeout(() => this.#tryNow(), pause);
  }

  /** Looks for WebSocket while the client is connected by events. */
  async #tryNow() {
    const link = this.#link;
    const works = await this.#tryWebSocket();
    if (link !== this.#link) return;
    if (!works) this.#tryLater(trialEvery);
    else if (this.#client.canBeInterrupted()) this.#changeToWebSocket();
    else this.#tryLater(trialAgain);
  }

  /** The session goes on there, and nobody sees the client leave. */
  #changeToWebSocket() {
    const link = this.#link;
    this.#keepAlive?.stop();
    clearTimeout(this.#trialTimer);
    this.#client.interrupted();
    this.#open("websocket");
    link.close();
  }

  #networkChanged() {
    this.#nextTrial = -Infinity;
    if (this.isReady && this.#canTry()) this.#tryLater(0);
    this.hurry();
  }

  #failed(cause) {
    const text = `cannot connect to ${this.#options.url}: is the broker running there?`;
    this.end(new RoomlineError("connection_failed", text, { cause }));
  }

  /** The broker, or something between, has closed the connection without a goodbye. */
  #lost(code, reason) {
    // The broker's close codes from 4500 on are for clients that must not come back.
    const isFinal = code >= 4500 && code < 4600;
    this.end(new RoomlineError("connection_lost", reason || `the connection ended with the code ${code}`), isFinal);
  }
}

/** The requests without an answer, in the order of their tickets; among them the outbox, the publishes. */
class Requests {
  /** The token is being renewed: the broker would refuse what is sent now. */
  isHeld = false;
  /** Asks for another token. Returns whether one will come. */
  renewToken;
  #options;
  #connection;
  #all = new Map();
  #lastTicket = -1;
  #outbox = { count: 0, bytes: 0 };
  /**
   * How many publishes of a room may be on their way, where the broker has refused one for a time: those behind it wait
   * with it, so that none overtakes it.
   */
  #windows = new Map();

  constructor(options, connection) {
    this.#options = options;
    this.#connection = connection;
  }

  /** Sends a request, now or when there is a connection. The promise is for its answer. */
  ask(frame, options) {
    return new Promise((resolve, reject) => {
      this.add(frame, options, (error, reply) => (error ? reject(error) : resolve(reply)));
    });
  }

  /**
   * `done(error, reply)` is called at once with the reply, so that it comes before the frames that follow the reply.
   *
   * `onLoss` says what the end of the connection means: `repeat` the request on the next one, `fail`, or `drop` it,
   * because the next connection makes it anew. `isEarly`: sent before the connection is ready. `canRenewToken`: waits
   * for another token if the broker says that the present one has expired.
   */
  add(frame, options = {}, done) {
    const { onLoss = "repeat", isEarly = false, isPublish = false, canRenewToken = !isEarly, size = 0, onDelay } = options;
    const ticket = (this.#lastTicket += 1);
    const text = JSON.stringify({ ...frame, callback: ticket });
    const error = this.#reasonToRefuse(text, onLoss) ?? (isPublish ? this.#admit(size) : undefined);
    if (error) return done(error);
    const { room } = frame;
    const request = { ticket, text, onLoss, isEarly, isPublish, canRenewToken, size, onDelay, room, done };
    this.#all.set(ticket, request);
    if (isPublish) {
      const { publishTimeout } = this.#options;
      request.deadline = now() + publishTimeout;
      request.timer = this.#timeOut(request, publishTimeout);
    }
    this.#connection.want();
    this.#sendInOrder(request);
  }

  /** There is a connection, or another token. */
  sendAll() {
    for (const request of this.#all.values()) if (!this.#isHeldBack(request)) this.#send(request);
    for (const room of this.#windows.keys()) this.#sendOf(room);
  }

  answered(reply) {
    const request = this.#all.get(reply.callback);
    if (!request) return; // benign race: timed out before
    if (reply.error === undefined) return this.#settle(request, undefined, reply);
    const error = refusal(reply);
    if (error.code === "token_expired" && request.canRenewToken && this.renewToken()) return this.#unsend(request);
    if (request.isPublish && error.retryable) return this.#publishLater(request, error);
    this.#settle(request, error);
  }

  /** Whether the end of the connection would cost nothing that the next one does not repeat. */
  get canBeInterrupted() {
    return [...this.#all.values()].every(({ onLoss }) => onLoss !== "fail");
  }

  connectionLost() {
    this.isHeld = false;
    const final = this.#connection.finalError;
    const lost = new RoomlineError("connection_lost", "the connection ended before the answer came");
    for (const request of [...this.#all.values()]) {
      if (request.onLoss === "drop") this.#remove(request);
      else if (final) this.#settle(request, final);
      else if (request.onLoss === "fail") this.#settle(request, lost);
      else this.#unsend(request);
    }
  }

  #reasonToRefuse(text, onLoss) {
    const { longestLine } = this.#options;
    if (this.#connection.finalError) return this.#connection.finalError;
    if (onLoss === "fail" && !this.#connection.isReady) {
      return new RoomlineError("not_connected", "there is no connection to the broker at the moment");
    }
    if (text.length > longestLine / 3 && new TextEncoder().encode(text).length > longestLine) {
      return new RoomlineError("message_too_large", `the request is longer than ${longestLine} bytes`);
    }
  }

  /** Adds a publish to the outbox. Returns an error if that is full; an empty one is not. */
  #admit(size) {
    const { count, bytes } = this.#outbox;
    const limit = this.#options.outbox;
    if (count > 0 && (count >= limit.count || bytes + size > limit.bytes)) {
      const text = `the outbox is full: ${count} messages of ${bytes} bytes wait for their acknowledgement`;
      return new RoomlineError("outbox_full", text);
    }
    this.#outbox = { count: count + 1, bytes: bytes + size };
  }

  #isHeldBack({ isPublish, room }) {
    return isPublish && this.#windows.has(room);
  }

  #sendInOrder(request) {
    if (this.#isHeldBack(request)) this.#sendOf(request.room);
    else this.#send(request);
  }

  /** Sends the publishes of a room that was refused one, as many as may be on their way. */
  #sendOf(room) {
    let left = this.#windows.get(room);
    for (const request of this.#all.values()) {
      if (!request.isPublish || request.room !== room) continue;
      this.#send(request);
      left -= 1;
      if (!request.isSent || left <= 0) return;
    }
  }

  /** A publish of the room is answered for good. */
  #widen(room) {
    if (!this.#windows.has(room)) return;
    const isLast = [...this.#all.values()].every((other) => !other.isPublish || other.room !== room);
    if (isLast) return this.#windows.delete(room);
    this.#windows.set(room, this.#windows.get(room) + 1);
    this.#sendOf(room);
  }

  #send(request) {
    const canSend = request.isEarly ? this.#connection.current : this.#connection.isReady && !this.isHeld;
    if (!canSend || request.isSent || request.pause) return;
    request.isSent = true;
    this.#connection.send(request.text);
    const isTimed = request.isPublish || request.isEarly;
    if (!isTimed) request.timer = this.#timeOut(request, this.#options.requestTimeout);
  }

  #timeOut(request, time) {
    const error = new RoomlineError("timed_out", `the broker has not answered within ${time} ms`);
    return setTimeout(() => this.#settle(request, error), time);
  }

  #settle(request, error, reply) {
    this.#remove(request);
    if (request.isPublish) this.#widen(request.room);
    request.done(error, reply);
  }

  #remove({ ticket, timer, pause, isPublish, size }) {
    this.#all.delete(ticket);
    clearTimeout(timer);
    clearTimeout(pause);
    if (isPublish) this.#outbox = { count: this.#outbox.count - 1, bytes: this.#outbox.bytes - size };
  }

  #publishLater(request, error) {
    request.refusals = (request.refusals ?? -1) + 1;
    const pause = pauseBefore(request.refusals, this.#options.backoff, error.retryIn);
    if (now() + pause >= request.deadline) return this.#settle(request, error);
    request.isSent = false;
    this.#windows.set(request.room, 1);
    request.pause = setTimeout(() => {
      request.pause = undefined;
      this.#sendOf(request.room);
    }, pause);
    request.isTooFast = error.code === "rate_limited";
    request.onDelay?.(error, Math.round(pause));
  }

  /** The slow mode of the room is another one: what waits for it is sent, in its order. */
  slowModeChanged(room) {
    for (const request of this.#all.values()) {
      if (request.room !== room || !request.pause || !request.isTooFast) continue;
      clearTimeout(request.pause);
      request.pause = undefined;
    }
    if (this.#windows.has(room)) this.#sendOf(room);
  }

  /** The request waits to be sent again. */
  #unsend(request) {
    request.isSent = false;
    clearTimeout(request.pause);
    request.pause = undefined;
    if (!request.isPublish) clearTimeout(request.timer);
  }
}

/** The session with the broker, over all connections: the handshake, the access token, the member data. */
class Session {
  clientID = "";
  isResumed = false;
  #options;
  #connection;
  #requests;
  /** The ids of this client, in this session and in earlier ones. */
  #ids = new Set();
  /** With it the next connection resumes this session. */
  #resumeToken;
  #token;
  #data;
  /** The member data that the broker knows; the app may have changed it since. */
  #acceptedData;

  constructor(options, connection, requests) {
    this.#options = options;
    this.#connection = connection;
    this.#requests = requests;
    this.#token = options.token;
    this.#data = options.data;
    requests.renewToken = () => this.renewToken();
  }

  hasBeen(id) {
    return this.#ids.has(id);
  }

  /** `then` is called when the broker has accepted this client, and its token. */
  greet(then) {
    const data = this.#data;
    const token = typeof this.#token === "string" ? this.#token : undefined;
    const { channel, heartbeat } = this.#options;
    const session = { resumable: true, resume: this.#resumeToken, heartbeat };
    const frame = { type: "handshake", channel, client_data: data, token, ...session };
    this.#requests.add(frame, { onLoss: "drop", isEarly: true }, (error, reply) => {
      if (error) return this.#refused(error);
      this.#acceptedData = data;
      this.clientID = reply.client_id;
      this.#ids.add(reply.client_id);
      this.#resumeToken = reply.resume_token;
      this.isResumed = reply.resumed ?? false;
      if (typeof this.#token === "function") this.#showToken(then);
      else then();
    });
  }

  /** The token has expired in the middle of a connection. Returns whether there will be another one. */
  renewToken() {
    if (typeof this.#token !== "function" || !this.#connection.isReady) return false;
    if (this.#requests.isHeld) return true;
    this.#requests.isHeld = true;
    this.#showToken(() => {
      this.#requests.isHeld = false;
      this.#requests.sendAll();
    });
    return true;
  }

  /** Asks the app for a token, and shows it. */
  async #showToken(then) {
    const connection = this.#connection.current;
    let token;
    let failure;
    try {
      const answer = await this.#token(this.clientID);
      token = tokenText(answer);
      if (!token) failure = new RoomlineError("token_provider_failed", noToken("the token function returned", answer));
    } catch (cause) {
      failure = new RoomlineError("token_provider_failed", "the token function failed", { cause });
    }
    if (connection !== this.#connection.current) return;
    if (failure) return this.#connection.end(failure);
    this.#requests.add({ type: "authenticate", token }, { onLoss: "drop", isEarly: true }, (error) => {
      if (error) this.#refused(error);
      else then();
    });
  }

  /** The broker has refused the handshake or the token. */
  #refused(error) {
    const canSucceedLater = error.retryable || (error.code === "token_expired" && typeof this.#token === "function");
    this.#connection.end(error, !canSucceedLater);
  }

  async authenticate(value) {
    const token = tokenText(value);
    if (!token) throw new RoomlineError("token_invalid", noToken("authenticate got", value));
    // A token that this connection refuses must not be shown by the next one.
    if (!this.#connection.isReady) this.#token = token;
    await this.#requests.ask({ type: "authenticate", token }, { canRenewToken: false });
    this.#token = token;
  }

  async update(data) {
    encoded(data);
    if (this.#connection.finalError) throw this.#connection.finalError;
    this.#data = data;
    // The next handshake sends it. If that is on its way already, `sendChangedData` follows it.
    if (!this.#connection.isReady) return;
    try {
      await this.#requests.ask({ type: "update", client_data: data }, { onLoss: "fail" });
      this.#acceptedData = data;
    } catch (error) {
      if (error.code === "connection_lost") return;
      // The broker would refuse the next handshake, too.
      if (this.#data === data) this.#data = this.#acceptedData;
      throw error;
    }
  }

  /** Sends what the app has changed while the handshake was on its way. The app's call has ended before. */
  sendChangedData() {
    if (this.#data !== this.#acceptedData) this.update(this.#data).catch(() => {});
  }
}

// ---- the client

const defaults = {
  channel: "default",
  transport: "auto",
  backoff: { base: 200, cap: 20_000 },
  heartbeat: 5,
  connectTimeout: 10_000,
  requestTimeout: 30_000,
  publishTimeout: 120_000,
  outbox: { count: 10_000, bytes: 8 * 1024 * 1024 },
  buffer: { count: 10_000, bytes: 4 * 1024 * 1024 },
  longestLine: 128 * 1024,
};

/** The broker recognizes a repeat for ten minutes. */
const longestPublishTimeout = 540_000;

function address(url = globalThis.location?.origin) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw new RoomlineError("invalid_option", `url is "${url}", and must be such as ws://127.0.0.1:10001`);
  }
  parsed.protocol = parsed.protocol.replace(/^http/, "ws");
  if (!/^wss?:$/.test(parsed.protocol)) {
    throw new RoomlineError("invalid_option", `url is "${url}", and must begin with ws:// or wss://`);
  }
  if (parsed.pathname === "/") parsed.pathname = "/v3/websocket";
  parsed.hash = "";
  return parsed.href;
}

function platform() {
  return { WebSocket: globalThis.WebSocket, fetch: globalThis.fetch };
}

const optionNames = new Set([...Object.keys(defaults), "url", "data", "token", "WebSocket", "fetch"]);

/** A misspelt option would be one that is not there. */
function refuseUnknown(options) {
  const unknown = Object.keys(options).filter((name) => !optionNames.has(name));
  for (const name of ["backoff", "outbox", "buffer"]) {
    const parts = Object.keys(options[name] ?? {}).filter((part) => !(part in defaults[name]));
    unknown.push(...parts.map((part) => `${name}.${part}`));
  }
  if (unknown.length === 0) return;
  const known = [...optionNames].join(", ");
  throw new RoomlineError("invalid_option", `there is no option ${unknown[0]}; the options are ${known}`);
}

function checked(options) {
  refuseUnknown(options);
  const merged = { ...defaults, ...platform(), ...options, url: address(options.url) };
  for (const name of ["backoff", "outbox", "buffer"]) merged[name] = { ...defaults[name], ...options[name] };
  if (merged.data !== undefined) encoded(merged.data);
  merged.publishTimeout = Math.min(merged.publishTimeout, longestPublishTimeout);
  if (!["auto", "websocket", "events"].includes(merged.transport)) {
    throw new RoomlineError("invalid_option", 'transport must be "auto", "websocket" or "events"');
  }
  const { transport, WebSocket, fetch } = merged;
  const isPossible = { websocket: WebSocket, events: fetch, auto: WebSocket ?? fetch }[transport];
  if (typeof isPossible !== "function") {
    const name = transport === "events" ? "fetch" : "WebSocket";
    throw new RoomlineError("invalid_option", `there is no ${name} here: pass one as the option ${name}`);
  }
  const { token } = merged;
  if (typeof token !== "function") merged.token = tokenText(token);
  if (token !== undefined && !merged.token) {
    throw new RoomlineError("invalid_option", "token must be a string with a token, or a function that returns one");
  }
  return merged;
}

function cancelled(name, { reason: cause }) {
  return new RoomlineError("closed", `joining "${name}" was cancelled`, { cause });
}

export class Roomline {
  #options;
  #listeners = new Listeners();
  /** The calls of `connect` that wait. */
  #connecting = [];
  #connection;
  #requests;
  #session;
  #rooms = new Map();
  /** The part of the client that its rooms use. */
  #port;

  constructor(options = {}) {
    this.#options = checked(options);
    this.#connection = new Connection(this.#options, {
      opened: () => this.#session.greet(() => this.#ready()),
      received: (text) => this.#received(text),
      disconnected: (pause) => this.#disconnected(pause),
      canBeInterrupted: () => this.#requests.canBeInterrupted,
      interrupted: () => this.#interrupted(),
      changed: () => this.#changed(),
    });
    this.#requests = new Requests(this.#options, this.#connection);
    this.#session = new Session(this.#options, this.#connection, this.#requests);
    this.#port = {
      ask: (frame, options) => this.#requests.ask(frame, options),
      leave: (joined) => this.#leave(joined),
      hasBeen: (id) => this.#session.hasBeen(id),
    };
  }

  get state() { return this.#connection.state; }
  get clientID() { return this.#session.clientID; }
  get error() { return this.#connection.error; }

  on(type, listener) {
    return this.#listeners.on(type, listener);
  }

  async *[Symbol.asyncIterator]() {
    const events = [this.#stateEvent()];
    let wake = () => {};
    const off = this.on("*", (event) => {
      events.push(event);
      if (events.length > 1000) events.shift();
      wake();
    });
    try {
      for (;;) {
        for (let event; (event = events.shift()); ) {
          yield event;
          if (event.state === "closed") return;
        }
        await new Promise((resolve) => { wake = resolve; });
      }
    } finally {
      off();
    }
  }

  async connect() {
    if (this.#connection.finalError) throw this.#connection.finalError;
    if (this.#connection.isReady) return;
    this.#connection.hurry();
    await new Promise((resolve, reject) => {
      this.#connecting.push({ resolve, reject });
      this.#connection.want();
    });
  }

  async join(name, { signal, ...options } = {}) {
    if (this.#connection.finalError) throw this.#connection.finalError;
    if (signal?.aborted) throw cancelled(name, signal);
    const before = this.#rooms.get(name);
    if (before && !before.joining) {
      throw new RoomlineError("already_joined", `this client is already in "${name}"; use that room or leave it`);
    }
    // The last call counts: an earlier one that waits is one that its app has forgotten.
    if (before) this.#leave(before);
    const joined = new JoinedRoom(this.#port, name, options, this.#options.buffer);
    const abort = () => this.#leave(joined);
    signal?.addEventListener("abort", abort, { once: true });
    joined.whenEnded = () => signal?.removeEventListener("abort", abort);
    this.#rooms.set(name, joined);
    this.#connection.want();
    try {
      await new Promise((resolve, reject) => {
        joined.joining = { resolve, reject };
        if (this.#connection.isReady) this.#subscribe(joined);
      });
    } catch (error) {
      throw signal?.aborted ? cancelled(name, signal) : error;
    }
    return new Room(joined, this);
  }

  async leave(name) {
    const joined = this.#rooms.get(name);
    if (joined) await this.#leave(joined);
  }

  async publish(room, message, { id, ephemeral = false, onDelay } = {}) {
    const { length: size } = encoded(message);
    const frame = { type: "publish", room, message };
    const reply = ephemeral
      ? await this.#requests.ask({ ...frame, ephemeral }, { onLoss: "fail" })
      : await this.#requests.ask({ ...frame, message_id: id ?? uuid() }, { isPublish: true, size, onDelay });
    return { id: reply.id, seq: reply.seq, time: timeOf(reply.id), isDuplicate: reply.duplicate ?? false };
  }

  update(data) {
    return this.#session.update(data);
  }

  authenticate(token) {
    return this.#session.authenticate(token);
  }

  close() {
    // The others see the client leave at once, and not after the grace period.
    if (this.#connection.isReady && this.#rooms.size > 0) {
      this.#connection.send(JSON.stringify({ type: "unsubscribe", rooms: [...this.#rooms.keys()] }));
    }
    this.#connection.end(undefined, true);
  }

  // -- the connection

  #ready() {
    this.#connection.ready();
    for (const joined of this.#rooms.values()) this.#subscribe(joined);
    this.#requests.sendAll();
    this.#session.sendChangedData();
    for (const { resolve } of this.#connecting.splice(0)) resolve();
    this.#changed();
  }

  /** `pause`: the milliseconds before the next attempt; `undefined` if there will be none. */
  #disconnected(pause) {
    const { error, finalError } = this.#connection;
    this.#interrupted();
    for (const { reject } of this.#connecting.splice(0)) reject(finalError ?? error);
    if (finalError) {
      for (const joined of this.#rooms.values()) joined.end(finalError);
      this.#rooms.clear();
    }
    this.#changed(pause);
  }

  /** The connection has ended, perhaps for the next one at once. */
  #interrupted() {
    for (const joined of this.#rooms.values()) joined.interrupted();
    this.#requests.connectionLost();
  }

  #changed(pause) {
    this.#listeners.emit(this.#stateEvent(pause));
  }

  #stateEvent(pause = 0) {
    const { state, error } = this.#connection;
    const event = { type: "state", state, clientID: this.clientID, error };
    if (state === "connected") event.resumed = this.#session.isResumed;
    if (state === "waiting") event.retryIn = Math.round(pause);
    return event;
  }

  // -- frames

  #received(text) {
    try {
      this.#handle(parsed(text), text.length);
    } catch (cause) {
      this.#connection.end(new RoomlineError("protocol_violation", "the server is not a Roomline broker", { cause }));
    }
  }

  #handle(frame, size) {
    const joined = this.#rooms.get(frame.room);
    switch (frame.type) {
      case undefined:
        if (frame.callback === undefined) this.#failed(refusal(frame));
        else this.#requests.answered(frame);
        break;
      case "ping":
        this.#connection.send('{"type":"pong"}');
        break;
      case "goodbye":
        this.#farewell(frame);
        break;
      case "removed":
        if (!joined?.isSubscribed) break;
        this.#rooms.delete(frame.room);
        joined.end(removal(frame));
        break;
      case "notice": case "muted": case "unmuted":
        if (frame.code === "slow_mode") this.#requests.slowModeChanged(frame.room);
        if (frame.room === undefined) {
          this.#listeners.emit(channelEvent(frame));
          break;
        }
      default:
        if (joined?.isSubscribed) joined.received(frame, size);
        else joined?.receivedEarly(frame, size);
    }
  }

  /** An error that belongs to no request. */
  #failed(error) {
    if (error.code === "token_expired") this.#session.renewToken();
    this.#listeners.emit({ type: "error", error });
  }

  #farewell(frame) {
    const { code, reason, reconnect, retry_after_ms: retryIn } = frame;
    this.#listeners.emit({ type: "goodbye", code, reason, reconnect, retryIn });
    this.#connection.end(refusal(frame), !reconnect);
  }

  // -- rooms

  #subscribe(joined) {
    this.#requests.add(joined.request, { onLoss: "drop" }, (error, reply) => {
      if (this.#rooms.get(joined.name) !== joined) return; // left before
      if (error) this.#subscribeRefused(joined, error);
      else joined.subscribed(reply);
    });
  }

  /** The call of `join` rejects with the first refusal; a later subscribe is tried again if that may help. */
  #subscribeRefused(joined, error) {
    // The answer may still come, and must not meet the next subscribe.
    if (error.code === "timed_out") {
      this.#connection.send(JSON.stringify({ type: "unsubscribe", room: joined.name }));
    }
    if (joined.joining || !error.retryable) {
      this.#rooms.delete(joined.name);
      return joined.end(error);
    }
    const connection = this.#connection.current;
    const pause = pauseBefore(joined.refusals, this.#options.backoff, error.retryIn);
    joined.refusals += 1;
    setTimeout(() => {
      // The next connection subscribes by itself.
      if (connection !== this.#connection.current || this.#rooms.get(joined.name) !== joined) return;
      this.#subscribe(joined);
    }, pause);
  }

  async #leave(joined) {
    if (this.#rooms.get(joined.name) !== joined) return;
    this.#rooms.delete(joined.name);
    joined.end();
    if (!this.#connection.isReady) return;
    // Without a connection the client is not in the room either.
    await this.#requests.ask({ type: "unsubscribe", room: joined.name }, { onLoss: "fail" }).catch(() => {});
  }
}
