// The types of roomline.js. docs/javascript.md describes the client.

/** Any JSON value. */
export type JSONValue = null | boolean | number | string | JSONValue[] | { [key: string]: JSONValue };

/** Removes the listener that `on` has added. */
export type Off = () => void;

export interface RoomlineOptions {
  /** The broker: `ws://host:port` or `wss://host:port`; `http` and `https` mean the same. Default: the page's origin. */
  url?: string | URL;
  /** The id of the channel. Default: `"default"`. */
  channel?: string;
  /** The member data, which the others see; by convention `{ name, color }`. */
  data?: unknown;
  /** An access token, or a function that gets the `client_id` of the connection and returns one. */
  token?: string | ((clientID: string) => string | Promise<string>);
  /** The pauses between attempts, in milliseconds. Default: `{ base: 200, cap: 20000 }`. */
  backoff?: { base?: number; cap?: number };
  /** The seconds without data before a `ping`; after twice that time the client reconnects. Default: 5. */
  heartbeat?: number;
  /** Milliseconds for opening the connection, handshake and authentication together. Default: 10000. */
  connectTimeout?: number;
  /** Milliseconds for the answer to a request. Default: 30000. */
  requestTimeout?: number;
  /** Milliseconds for the acknowledgement of a publish; at most nine minutes. Default: 120000. */
  publishTimeout?: number;
  /** The limits for unacknowledged publishes. Default: 10,000 messages and 8 MiB. */
  outbox?: { count?: number; bytes?: number };
  /** The limits for the unread events of each reader of a room. Default: 10,000 events and 4 MiB. */
  buffer?: { count?: number; bytes?: number };
  /** The longest frame that the broker accepts, in bytes. Default: 131072. */
  longestLine?: number;
  /** How to connect: by WebSocket, by Server-Sent Events and POST, or by whatever works. Default: `"auto"`. */
  transport?: "auto" | "websocket" | "events";
  /** A class with the interface of the browser's `WebSocket`. Default: the global one. */
  WebSocket?: new (url: string) => unknown;
  /** A function with the interface of the browser's `fetch`. Default: the global one. */
  fetch?: (url: string, options?: object) => Promise<unknown>;
}

/** The error of all calls. */
export class RoomlineError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown; retryIn?: number });
  /** A word of the protocol's table of codes, or a word of this client. */
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The milliseconds that the broker asks to wait. */
  readonly retryIn?: number;
}

/** A position in a room's log: after the entry `seq` of `epoch`. */
export interface Position {
  epoch: string;
  seq: number;
}

export interface Member {
  /** It changes when the client reconnects without resuming its session. */
  id: string;
  clientData?: any;
  /** The `data` of the client's token, which the client itself cannot change. */
  authData?: any;
}

/** The cause of an event: a member, or the broker, a request over HTTP or an administrator. */
export type Sender = Member | { id: string; kind: "broker" | "rest" | "admin" };

// ---- the client

export type ConnectionState = "idle" | "connecting" | "connected" | "waiting" | "closed";

export interface StateEvent {
  type: "state";
  state: ConnectionState;
  clientID: string;
  /** If `connected`: whether the session before goes on. */
  resumed?: boolean;
  /** Why it is `waiting` or `closed`. */
  error?: RoomlineError;
  /** If `waiting`: the milliseconds before the next attempt. */
  retryIn?: number;
}

/** The broker ends the connection. */
export interface GoodbyeEvent {
  type: "goodbye";
  code: string;
  reason: string;
  reconnect: boolean;
  retryIn?: number;
}

/** The broker reports an error that belongs to no request. */
export interface ErrorEvent {
  type: "error";
  error: RoomlineError;
}

/** A moderator or an administrator addresses the room or the channel, or has changed the rules of the room. */
export interface NoticeEvent {
  type: "notice";
  text: string;
  /** Newer brokers may send other words. */
  code?: "room_locked" | "room_unlocked" | "slow_mode" | (string & {});
  /** The pause between two messages, for `slow_mode`. */
  seconds?: number;
  sender: Sender;
}

/** This client cannot publish. */
export interface MutedEvent {
  type: "muted";
  reason?: string;
  /** `undefined`: until a moderator lifts it. */
  until?: Date;
}

/** This client can publish again. */
export interface UnmutedEvent {
  type: "unmuted";
}

export type ClientEvent = StateEvent | GoodbyeEvent | ErrorEvent | NoticeEvent | MutedEvent | UnmutedEvent;

export interface JoinOptions {
  /** How many of the newest messages come first, at most 100. */
  history?: number;
  /** Where an earlier run of the app stopped: all messages after it come first. */
  since?: Position;
  /** Whether to be shown who is in the room. Default: `true`. */
  presence?: boolean;
  /** When it is aborted, the join is cancelled, or the room is left. */
  signal?: AbortSignal;
}

export interface PublishOptions {
  /** The `message_id`, a UUID. Default: a random one. */
  id?: string;
  /** Sent once, to the present members, and not stored. */
  ephemeral?: boolean;
  /** Called whenever the broker refuses the message for now, as in slow mode: it is sent again after `pause` milliseconds. */
  onDelay?: (error: RoomlineError, pause: number) => void;
}

export interface PublishReceipt {
  id: string;
  /** `undefined` for an ephemeral message. */
  seq?: number;
  time: Date;
  /** Whether the broker already had the message. */
  isDuplicate: boolean;
}

/** A client of a broker, which reconnects automatically. */
export class Roomline implements AsyncIterable<ClientEvent> {
  /** Connects at the first request. Throws `invalid_option`. */
  constructor(options?: RoomlineOptions);
  readonly state: ConnectionState;
  /** `""` before the first connection. */
  readonly clientID: string;
  /** Why the client is waiting or closed. */
  readonly error?: RoomlineError;
  /** Resolves when the client is connected, rejects if this attempt fails. Ends the pause between two attempts. */
  connect(): Promise<void>;
  /** Resolves when the broker has let this client into the room. Takes the place of an earlier call that still waits. */
  join(name: string, options?: JoinOptions): Promise<Room>;
  /** Leaves the room, or cancels the call of `join` that waits for it. */
  leave(name: string): Promise<void>;
  /** Publishes without being in the room. Resolves with the broker's acknowledgement. */
  publish(room: string, value: unknown, options?: PublishOptions): Promise<PublishReceipt>;
  /** Replaces the member data. */
  update(data: unknown): Promise<void>;
  /** Shows another token, now and on later connections. */
  authenticate(token: string): Promise<void>;
  /** Adds a listener; `"*"` is for all events. */
  on<T extends ClientEvent["type"]>(type: T, listener: (event: Extract<ClientEvent, { type: T }>) => void): Off;
  on(type: "*", listener: (event: ClientEvent) => void): Off;
  /** Begins with the present state, and ends when the client is closed. */
  [Symbol.asyncIterator](): AsyncIterator<ClientEvent>;
  /** Leaves all rooms and closes the connection. Calls that wait reject with `closed`. */
  close(): void;
}

// ---- a room

export interface MessageEvent {
  type: "message";
  /** The message that was published; `null` if it is redacted. */
  value: any;
  id: string;
  /** The place in the room; `undefined` for an ephemeral message. */
  seq?: number;
  /** For `join(name, { since })`; `undefined` for an ephemeral message. */
  position?: Position;
  time: Date;
  sender: Sender;
  /** `undefined` if it came over HTTP. */
  member?: Member;
  /** Whether this client has published it, in this session or in an earlier one. */
  isOwn: boolean;
  /** Whether it is older than the join, or part of a page. */
  isHistory: boolean;
  /** Whether it was published during an interruption of the connection. */
  isMissed: boolean;
  isRedacted: boolean;
}

/** The present members: after the join, after each reconnection, and after the reader was too slow for the changes. */
export interface MembersEvent {
  type: "members";
  /** Empty in a room with too many members for a list. */
  members: Member[];
  count: number;
}

/** Another member came or went; or a member, perhaps this client, has new data. */
export interface PresenceEvent<Type extends "joined" | "left" | "updated"> {
  type: Type;
  member: Member;
}

export interface TypingEvent {
  type: "typing";
  member: Member;
  isTyping: boolean;
  isOwn: boolean;
}

/** Messages are missing in this reading. */
export interface GapEvent {
  type: "gap";
  /** Newer brokers may send other words. */
  reason: "trimmed" | "expired" | "lost" | "slow" | "denied" | "cleared" | "epoch" | (string & {});
  epoch: string;
  /** The first and the last missing `seq`; `undefined` if they are not known. */
  from?: number;
  to?: number;
}

/** This client is back in the room, and has got the `count` messages that it had missed. */
export interface RecoveredEvent {
  type: "recovered";
  count: number;
}

/** A moderator has removed the content of a message. */
export interface RedactedEvent {
  type: "redacted";
  /** The `id` and `seq` of the message. */
  targetID: string;
  targetSeq: number;
  reason?: string;
  /** Those of the redaction itself, which has its own place in the room. */
  id: string;
  seq: number;
  position: Position;
  time: Date;
  sender: Sender;
}

/** A moderator has deleted all messages. */
export interface ClearedEvent {
  type: "cleared";
  /** The room continues from here. */
  position: Position;
  sender: Sender;
}

/** The last event of a room. */
export interface EndedEvent {
  type: "ended";
  /** `undefined`: the app has left. */
  error?: RoomlineError;
}

export type RoomEvent =
  | MessageEvent | MembersEvent | PresenceEvent<"joined"> | PresenceEvent<"left"> | PresenceEvent<"updated">
  | TypingEvent | GapEvent | RecoveredEvent | RedactedEvent | ClearedEvent | NoticeEvent | MutedEvent | UnmutedEvent | EndedEvent;

export interface HistoryOptions {
  /** The newest messages below this `seq`. */
  before?: number;
  /** The oldest messages above this `seq`; not together with `before`. */
  after?: number;
  limit?: number;
}

export interface HistoryPage {
  /** The oldest first. */
  messages: MessageEvent[];
  /** The redactions among them, with their reasons. What they removed may be on an earlier page. */
  redactions: RedactedEvent[];
  /** The first and the last place that the page covers; `undefined` if it is empty. */
  from?: number;
  to?: number;
  /** Whether there are more in the requested direction. */
  hasMore: boolean;
}

/** The members that a ban or a mute applies to. */
export type Subject = { user: string } | { client_id: string } | { address: string };

/** The fields of each action of a moderator, as in the protocol. */
export interface ModerationActions {
  kick: { client_id: string; reason?: string };
  /** `redact`: also the content of all messages of the user or the client that the room has stored. */
  ban: Subject & { seconds?: number; reason?: string; redact?: boolean };
  unban: Subject;
  mute: Subject & { seconds?: number; reason?: string };
  unmute: Subject;
  lock: { reason?: string };
  unlock: {};
  slow_mode: { seconds: number };
  limit_members: { count: number };
  /** One message, or all that the room has stored of a user or a client. */
  redact: ({ target_seq: number } | { target_id: string } | { user: string } | { client_id: string }) & { reason?: string };
  clear: {};
  notice: { text: string };
  /** What is set in the room, and who has written a message. */
  show: { target_seq?: number; target_id?: string };
}

/** What moderators have set in a room, as in the protocol. */
export interface ModerationState {
  rules: { locked: boolean; lock_reason?: string; slow_mode_seconds?: number; member_limit?: number };
  /** The newest bans and mutes of this room; times are Unix seconds, and without `until` they last until they are lifted. */
  sanctions: (Partial<Record<"user" | "client_id" | "address", string>> & {
    kind: "ban" | "mute"; reason?: string; author: string; created: number; until?: number;
  })[];
  /** How many there are. */
  total: number;
  /** Of the message that was asked about: the user where the token names one, also in rooms whose messages do not say it. */
  author?: { user?: string; client_id?: string };
}

/** What an action resolves with: `count` where all messages of somebody were redacted. */
export type ModerationResult<Action> = Action extends "show" ? ModerationState
  : Action extends "ban" | "redact" ? { count: number } | undefined : undefined;

/** A room that this client is in. `Roomline.join` makes it. */
export class Room implements AsyncIterable<RoomEvent> {
  private constructor();
  readonly name: string;
  /** The present members, this client included; empty where `showsMembers` is `false`, and in very large rooms. */
  readonly members: Member[];
  /** Whether the broker shows this client who is in the room. */
  readonly showsMembers: boolean;
  readonly memberCount: number;
  /** The position after the last entry that was received. */
  readonly position: Position;
  /** Why the room has ended. */
  readonly error?: RoomlineError;
  /** Resolves with the broker's acknowledgement. */
  publish(value: unknown, options?: PublishOptions): Promise<PublishReceipt>;
  /** Tells the others that this user is writing: call it on every key. */
  typing(isTyping?: boolean): void;
  history(options?: HistoryOptions): Promise<HistoryPage>;
  /** Needs a token that grants `"moderate":true`. Resolves when the action is in effect. */
  moderate<Action extends keyof ModerationActions>(
    action: Action, fields?: ModerationActions[Action],
  ): Promise<ModerationResult<Action>>;
  /** Adds a listener; `"*"` is for all events. */
  on<T extends RoomEvent["type"]>(type: T, listener: (event: Extract<RoomEvent, { type: T }>) => void): Off;
  on(type: "*", listener: (event: RoomEvent) => void): Off;
  /** The first loop or listener gets all events since the join, a later loop what comes then. Ends with the room. */
  [Symbol.asyncIterator](): AsyncIterator<RoomEvent>;
  leave(): Promise<void>;
}
