// The connection and the rooms of it: one `Roomline` and a `ChatRoom` for each room that one is in.

import { Roomline } from "/roomline.js";
import { ChatRoom } from "./chat-room.js";

const HISTORY = 100;
/** As long as the broker recognizes a repeat: a message may have to wait for slow mode. */
const SENT_WITHIN = 540_000;
/** The errors that a token can mend. */
const WANTS_TOKEN = new Set(["authentication_required", "token_invalid", "token_expired"]);

export class Session {
  /** @param actions `stateChanged()`, `roomChanged(room, what)`, `wantsToken(error)`, `profileRefused(error)` */
  constructor(memory, actions) {
    this.memory = memory;
    this.actions = actions;
    this.rooms = new Map();
    this.state = { state: "idle" };
  }

  get me() {
    return this.memory.profile;
  }

  get id() {
    return this.client?.clientID;
  }

  /** Connects, also again after the broker has ended the connection; joins all rooms. */
  start() {
    this.client?.close();
    const { channel, token } = this.memory;
    const client = new Roomline({ channel, data: this.me, token, publishTimeout: SENT_WITHIN });
    this.client = client;
    client.on("state", (state) => {
      if (client === this.client) this.stateChanged(state);
    });
    client.on("notice", (notice) => this.forAll((room) => room.on_notice(notice)));
    client.on("muted", (muted) => this.muteChanged(muted));
    client.on("unmuted", () => this.muteChanged());
    for (const room of this.rooms.values()) this.join(room);
  }

  forAll(action) {
    for (const room of this.rooms.values()) action(room);
  }

  /** For the whole channel, also for rooms that are opened later; `undefined`: it has ended. */
  muteChanged(muted) {
    this.muted = muted;
    this.forAll((room) => (muted ? room.on_muted(muted, "channel") : room.on_unmuted(undefined, "channel")));
  }

  stateChanged(state) {
    this.state = state;
    if (state.state === "waiting") {
      this.isLost = true;
      this.forAll((room) => { room.isInterrupted = true; });
    }
    if (state.state === "connected" || state.state === "closed") this.isLost = false;
    if (state.state === "connecting") {
      this.muted = undefined;
      this.forAll((room) => room.forgetRules());
    }
    if (state.state === "connected") this.memory.addOwnID(state.clientID || this.client.clientID);
    if (state.state === "closed" && WANTS_TOKEN.has(state.error?.code)) this.showToken(state.error);
    this.actions.stateChanged();
  }

  /** The room of this name, which is joined if it was not yet. */
  open(name) {
    let room = this.rooms.get(name);
    if (!room) {
      room = new ChatRoom(name, this.memory, this.actions.roomChanged);
      this.rooms.set(name, room);
      if (this.muted) room.on_muted(this.muted, "channel");
      this.memory.keepRoom(name, true);
      if (this.client) this.join(room);
    }
    return room;
  }

  async join(room) {
    room.detach();
    const client = this.client;
    try {
      const place = room.entries.findLast((entry) => entry.seq !== undefined);
      const start = place ? { since: { epoch: place.epoch, seq: place.seq } } : { history: HISTORY };
      room.attach(await client.join(room.name, start));
    } catch (error) {
      // one has left the room meanwhile, or this page the connection
      if (error.code === "closed") return;
      room.end(error);
      if (WANTS_TOKEN.has(error.code)) this.actions.wantsToken(error);
    }
  }

  leave(room) {
    this.rooms.delete(room.name);
    this.memory.keepRoom(room.name, false);
    this.client?.leave(room.name);
  }

  /** The token that is there was not refused where the channel takes tokens again; else another one is asked for. */
  showToken(error) {
    if (error.code === "authentication_required" && this.memory.token !== undefined) this.start();
    else this.actions.wantsToken(error);
  }

  signIn(token) {
    const isOfAnother = this.memory.isOfAnother(token);
    this.memory.token = token;
    if (isOfAnother) location.reload();
    else this.start();
  }

  /** Whether the token lets one moderate the room. Only for what the page offers: the broker decides. */
  mayModerate(room) {
    const words = permissionsOf(this.memory.token)
      .filter(([pattern]) => matches(pattern, room.name))
      .map(([, allowed]) => allowed?.moderate);
    return words.includes(true) && !words.includes(false);
  }

  /** A moderator is in the room whatever its rules are; who is none is not told them. */
  async lookUpRules(room) {
    const { room: joined } = room;
    if (!joined || room.hasRules || this.state.state !== "connected" || !this.mayModerate(room)) return;
    room.hasRules = true;
    try {
      const { rules } = await joined.moderate("show");
      if (joined === room.room) room.setRules(rules);
    } catch {
      // the acts themselves say why they fail
    }
  }

  setProfile(profile) {
    this.accepted ??= this.memory.profile;
    this.memory.profile = profile;
    const change = (this.lastChange = {});
    const client = this.client;
    // without a connection the next one brings the new data
    client?.update(profile).then(
      () => { this.accepted = profile; },
      (error) => {
        if (change !== this.lastChange || client.state === "closed") return;
        this.memory.profile = this.accepted;
        this.actions.profileRefused(error);
      },
    );
  }

  /** Ends the pause before the next attempt. */
  tryNow() {
    if (this.client.state === "closed") this.start();
    // a failed attempt shows as a state
    else this.client.connect().catch(() => {});
  }

  /** The names of the channel's rooms with people in them, as REST lists them. */
  async findRooms() {
    const token = this.memory.token;
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`/${encodeURIComponent(this.memory.channel)}/rooms`, { headers, cache: "no-store" });
    const found = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(found.message ?? answer.statusText), { code: found.code });
    return found;
  }
}

/** The permissions of a token, by pattern; none if it is not a token. */
function permissionsOf(token) {
  try {
    const bytes = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    return Object.entries(JSON.parse(text).permissions);
  } catch {
    // no token, or one that the broker refuses, too
    return [];
  }
}

function matches(pattern, name) {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    // a pattern that is not valid matches nothing
    return false;
  }
}
