// A broker that a test plays itself: WebSockets in memory, whose other end the test holds.
import assert from "node:assert/strict";
import { Roomline } from "../../../Sources/RoomHTTP/Pages/roomline.js";
import { settled } from "./clock.mjs";

export const epoch = "5f3c9a1e7b240d86";
export const otherEpoch = "81b0c5d2e3f40a96";
export const luke = { id: "luke", clientData: { name: "Luke" } };

/** The broker's end of one connection. */
class Connection {
  sent = [];
  isClosed = false;

  constructor(socket, url) {
    this.socket = socket;
    this.url = url;
  }

  open() {
    this.socket.readyState = 1;
    this.socket.onopen({});
  }

  /** The next frame of the client, which must be of this type. */
  take(type) {
    const frame = this.sent.shift();
    assert.equal(frame?.type, type, `the client has sent ${JSON.stringify(frame)}`);
    return frame;
  }

  reply({ callback }, fields = {}) {
    this.tell({ callback, ...fields });
  }

  refuse(frame, code, fields = {}) {
    this.reply(frame, { error: `refused: ${code}`, code, ...fields });
  }

  tell(frame) {
    this.socket.onmessage({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  async lose(code = 1006, reason = "") {
    this.socket.readyState = 3;
    this.socket.onclose({ code, reason });
    await settled();
  }

  /** Answers the handshake. */
  async welcome(fields = {}) {
    const frame = this.take("handshake");
    this.reply(frame, { client_id: "me", resume_token: "token-1", ...fields });
    await settled();
    return frame;
  }

  async acceptSubscribe(fields = {}) {
    const frame = this.take("subscribe");
    this.reply(frame, { epoch, seq: 0, ...fields });
    await settled();
    return frame;
  }
}

export class ScriptedBroker {
  connections = [];
  WebSocket;

  constructor() {
    const { connections } = this;
    this.WebSocket = class {
      readyState = 0;
      constructor(url) {
        connections.push(new Connection(this, url));
        this.connection = connections.at(-1);
      }
      send(text) {
        this.connection.sent.push(JSON.parse(text));
      }
      close() {
        this.readyState = 3;
        this.connection.isClosed = true;
      }
    };
  }

  get last() {
    return this.connections.at(-1);
  }

  client(options = {}) {
    return new Roomline({ url: "ws://broker.example", WebSocket: this.WebSocket, transport: "websocket", ...options });
  }

  /** Opens the newest connection and answers its handshake. */
  async accept(fields) {
    this.last.open();
    await this.last.welcome(fields);
    return this.last;
  }
}

/** A client that is connected. */
export async function connected(options) {
  const broker = new ScriptedBroker();
  const client = broker.client(options);
  const connecting = client.connect();
  const connection = await broker.accept();
  await connecting;
  return { broker, client, connection };
}

/** A client in the room "lobby". */
export async function joined(options, { subscribe, reply, ...clientOptions } = {}) {
  const { broker, client, connection } = await connected(clientOptions);
  const joining = client.join("lobby", options);
  await connection.acceptSubscribe(reply);
  return { broker, client, connection, room: await joining };
}

/** The id of the broker for a message, whose time is `seq` milliseconds after the beginning of 1970. */
const idOf = (seq) => `${seq.toString(16).padStart(12, "0").replace(/(.{8})/, "$1-")}-7000-8000-000000000000`;

export function message(seq, value = `message ${seq}`, fields = {}) {
  return { type: "publish", room: "lobby", id: idOf(seq ?? 0), seq, sender: luke, message: value, ...fields };
}

export const historyMessage = (seq, index) => message(seq, undefined, { type: "history_message", index });

export function redaction(seq, target) {
  return {
    type: "message_redacted", room: "lobby", id: idOf(seq), seq, target_seq: target, target_id: idOf(target),
    reason: "spam", sender: luke,
  };
}

export function gap(from, to, reason = "trimmed", fields = {}) {
  return { type: "gap", room: "lobby", epoch, from_seq: from, to_seq: to, reason, ...fields };
}

/** Reads what a room has, without waiting for more. */
export class Reader {
  events = [];

  constructor(room) {
    this.iterator = room[Symbol.asyncIterator]();
    this.done = this.#read();
  }

  async #read() {
    for (;;) {
      const { value, done } = await this.iterator.next();
      if (done) return;
      this.events.push(value);
    }
  }

  /** Takes the events so far, in short form: [type, what counts]. */
  async take() {
    await settled();
    return this.events.splice(0).map(brief);
  }
}

export function brief(event) {
  switch (event.type) {
    case "message": return event.seq ?? event.value;
    case "gap": return event.from ? `gap ${event.reason} ${event.from}-${event.to}` : `gap ${event.reason}`;
    case "members": return `members ${event.members.map(({ id }) => id)}`;
    case "joined": case "left": case "updated": return `${event.type} ${event.member.id}`;
    case "recovered": return `recovered ${event.count}`;
    case "redacted": return `redacted ${event.targetSeq}`;
    case "ended": return `ended ${event.error?.code ?? ""}`.trim();
    default: return event.type;
  }
}
