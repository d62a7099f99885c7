// One's own messages of a room that the broker has not acknowledged. They outlive a page that is loaded again, and a
// room that one leaves: what was written and not sent is never lost without a word.

import { sentenceOf, slowModeText } from "./chat-words.js";

/** The broker recognizes a repeat for ten minutes. */
const REPEATED_FOR = 9 * 60_000;

export class Outbox {
  /** @param actions `changed()`: an entry has come, gone, or changed; `refused(error)`: the broker has not taken one */
  constructor(name, memory, { changed, refused }) {
    this.name = name;
    this.memory = memory;
    this.refused = refused;
    this.changed = () => {
      const kept = this.entries.map(({ text, messageID, time, trouble }) => {
        return { text, messageID, time: time.getTime(), trouble };
      });
      memory.keepUnsent(name, kept);
      changed();
    };
    this.entries = memory.unsent(name).map((kept) => this.restored(kept));
  }

  restored({ text, messageID, time, trouble }) {
    const isTooLate = Date.now() - time > REPEATED_FOR;
    const entry = this.entry(text, messageID, new Date(time));
    entry.trouble = trouble ?? (isTooLate ? "The page was closed before the answer came." : undefined);
    if (entry.trouble) entry.state = "failed";
    return entry;
  }

  entry(text, messageID = newID(), time = new Date()) {
    const { name, color: colour } = this.memory.profile;
    const known = { kind: "message", from: "", name, colour, isOwn: true, isCode: false };
    return { ...known, text, messageID, time, state: "sending" };
  }

  /** The room that one is in; `undefined` while one is in none: then messages wait for the next one. */
  enter(room) {
    this.room = room;
    this.error = undefined;
    if (room) for (const entry of this.entries) if (entry.state === "sending") this.publish(entry);
  }

  /** One is not in the room any more, and will not be: what waits cannot be sent. */
  end(error) {
    this.room = undefined;
    this.error = error;
    for (const entry of this.entries) if (entry.state === "sending" && !entry.isOnItsWay) this.failed(entry, error);
  }

  send(text) {
    const entry = this.entry(text);
    this.entries.push(entry);
    this.changed();
    this.retry(entry);
  }

  retry(entry) {
    entry.state = "sending";
    entry.trouble = undefined;
    this.changed();
    if (this.room) this.publish(entry);
    else if (this.error) this.failed(entry, this.error);
  }

  async publish(entry) {
    if (entry.isOnItsWay) return;
    entry.isOnItsWay = true;
    const { room } = this;
    let error;
    try {
      const onDelay = (reason, pause) => this.delayed(entry, reason, pause);
      entry.id = (await room.publish(entry.text, { id: entry.messageID, onDelay })).id;
    } catch (reason) {
      error = reason;
    }
    entry.isOnItsWay = false;
    entry.wait = undefined;
    // this page has given the connection up, not the message: it goes out by the next one
    if (error?.code !== "closed") this.answered(entry, error);
    else if (this.room && this.room !== room) this.publish(entry);
  }

  /** The broker does not take it yet: it goes out again after the pause, or when slow mode ends. */
  delayed(entry, error, pause) {
    entry.wait = { isSlowMode: Boolean(slowModeText(error)), until: performance.now() + pause };
    this.changed();
  }

  answered(entry, error) {
    if (error) {
      this.failed(entry, error);
      this.refused(error);
    }
    // the echo of a message that was stored before an interruption may be in the history already
    else if (this.isShown(entry.id)) this.discard(entry);
  }

  failed(entry, error) {
    entry.state = "failed";
    entry.trouble = slowModeText(error) ?? sentenceOf(error);
    this.changed();
  }

  discard(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.changed();
  }

  /** The broker's copy takes the place of the one that waited, also if a copy of this tab has sent it. */
  arrived({ id, text, isOwn }) {
    const isSame = (waiting) =>
      waiting.id === undefined ? isOwn && waiting.state === "sending" && waiting.text === text : waiting.id === id;
    const found = this.entries.find(isSame);
    if (found) this.discard(found);
  }
}

/** A random UUID, also on a page that did not come over TLS. */
function newID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
