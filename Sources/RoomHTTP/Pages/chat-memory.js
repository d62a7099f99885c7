// The memory of this browser: who one is, which rooms one is in, how far one has read.

import { userOf } from "./text.js";

const PREFIX = "roomline.chat.";
const OWN_IDS = 100;

function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key)) ?? fallback;
  } catch {
    // no storage here, or another program's text in it
    return fallback;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // no storage here, or it is full: the page works without a memory
  }
}

/** What a token says of its user; the broker checks it. */
function dataOf(token) {
  try {
    const text = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0)))).data;
  } catch {
    return undefined; // there is none, or it is none
  }
}

/** The memory for one channel; the profile is the same in all. */
export class Memory {
  constructor(channel) {
    this.channel = channel;
    const places = read(`read.${channel}`, {});
    this.places = places && typeof places === "object" ? places : {};
    /** What was written and not sent, by room: the text in the field, and the messages without an answer. */
    this.drafts = this.kept("drafts");
    this.outboxes = this.kept("unsent");
    this.readOwnIDs();
  }

  get profile() {
    const { name, color } = read("me", {});
    return typeof name === "string" && name ? { name, color: String(color) } : undefined;
  }

  set profile(profile) {
    write("me", profile);
  }

  get rooms() {
    const rooms = read(`rooms.${this.channel}`, undefined);
    return Array.isArray(rooms) ? rooms.filter((name) => typeof name === "string" && name) : undefined;
  }

  set rooms(names) {
    write(`rooms.${this.channel}`, names);
  }

  /** The ids of this person's sessions, so that messages from before a reload are still one's own. */
  addOwnID(id) {
    if (!id || this.ownIDs.has(id)) return;
    this.ownIDs.add(id);
    write(this.ownKey, [...this.ownIDs].slice(-OWN_IDS));
  }

  /** Those of the user of the token: somebody else may use the same browser with another one. */
  readOwnIDs() {
    const user = userOf({ authData: dataOf(this.token) });
    const key = user === undefined ? `own.${this.channel}` : `own.${this.channel}.${user}`;
    if (key === this.ownKey) return;
    this.ownKey = key;
    const own = read(key, []);
    this.ownIDs = new Set(Array.isArray(own) ? own : []);
  }

  /** How far one has read: `{ epoch, seq }`. */
  place(room) {
    return this.places[room];
  }

  setPlace(room, place) {
    this.places[room] = place;
    this.isUnsaved ||= Boolean(setTimeout(() => this.save(), 400));
  }

  save() {
    this.isUnsaved = false;
    write(`read.${this.channel}`, this.places);
  }

  // What lasts as long as the tab

  draft(room) {
    return this.drafts[room] ?? "";
  }

  keepDraft(room, text) {
    this.drafts[room] = text || undefined;
    this.keep("drafts", this.drafts);
  }

  unsent(room) {
    return this.outboxes[room] ?? [];
  }

  keepUnsent(room, messages) {
    this.outboxes[room] = messages.length > 0 ? messages : undefined;
    this.keep("unsent", this.outboxes);
  }

  kept(key) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(`${PREFIX}${key}.${this.channel}`));
      // a room may be called "constructor"
      return Object.assign(Object.create(null), kept);
    } catch {
      return Object.create(null); // no storage here, or another program's text in it
    }
  }

  keep(key, value) {
    try {
      sessionStorage.setItem(`${PREFIX}${key}.${this.channel}`, JSON.stringify(value));
    } catch {
      // no storage here, or it is full: it lasts as long as the page
    }
  }

  get token() {
    const { token } = this.kept("access");
    return typeof token === "string" ? token : undefined;
  }

  set token(token) {
    this.keep("access", { token });
    this.readOwnIDs();
  }
}
