// The memory of this browser: who one is, which rooms one is in, how far one has read.

import { nearUserOf } from "./text.js";

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

/** The user that a token names; the broker checks it. */
function userOfToken(token) {
  try {
    const text = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0))));
    return nearUserOf({ authData: claims.data });
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
    this.readUser();
    /** What was written and not sent, by room: the text in the field, and the messages without an answer. */
    this.drafts = this.kept("drafts", this.user);
    this.outboxes = this.kept("unsent", this.user);
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

  /** Another tab may have entered and left other rooms. */
  keepRoom(name, isIn) {
    const others = (this.rooms ?? []).filter((other) => other !== name);
    write(`rooms.${this.channel}`, isIn ? [...others, name] : others);
  }

  /** The ids of this person's sessions, so that messages from before a reload are still one's own. */
  addOwnID(id) {
    if (!id || this.ownIDs.has(id)) return;
    this.ownIDs.add(id);
    write(this.ownKey, [...this.ownIDs].slice(-OWN_IDS));
  }

  /** The user of the token has ids of its own: somebody else may use the same browser with another token. */
  readUser() {
    this.user = userOfToken(this.token);
    this.ownKey = this.keyOf("own", this.user);
    const own = read(this.ownKey, []);
    this.ownIDs = new Set(Array.isArray(own) ? own : []);
  }

  keyOf(name, user) {
    return user === undefined ? `${name}.${this.channel}` : `${name}.${this.channel}.${user}`;
  }

  /** Whether the token is another user's than what the page shows and keeps. */
  isOfAnother(token) {
    return this.user !== undefined && userOfToken(token) !== this.user;
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
    this.keep("drafts", this.drafts, this.user);
  }

  unsent(room) {
    return this.outboxes[room] ?? [];
  }

  keepUnsent(room, messages) {
    this.outboxes[room] = messages.length > 0 ? messages : undefined;
    this.keep("unsent", this.outboxes, this.user);
  }

  kept(name, user) {
    try {
      const kept = JSON.parse(sessionStorage.getItem(PREFIX + this.keyOf(name, user)));
      // a room may be called "constructor"
      return Object.assign(Object.create(null), kept);
    } catch {
      return Object.create(null); // no storage here, or another program's text in it
    }
  }

  keep(name, value, user) {
    try {
      sessionStorage.setItem(PREFIX + this.keyOf(name, user), JSON.stringify(value));
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
    // the page of another user is loaded again
    if (this.user === undefined && userOfToken(token) !== undefined) this.readUser();
  }
}
