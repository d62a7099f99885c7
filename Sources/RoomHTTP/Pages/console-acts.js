// Acts of moderation. Each says what it does before it does it.

import { path } from "./console-api.js";
import { ask, countText, field, fullName, subjectText, toast } from "./console-parts.js";
import { textOf, userText } from "./text.js";

const DURATIONS = [
  ["600", "10 minutes"],
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "1 week"],
  ["", "Until it is lifted"],
];

/** What becomes of the messages of somebody who is banned. */
const REDACTIONS = [
  ["", "They stay"],
  ["all", "All of them are removed for good"],
];

const reasonField = () => field("Reason, which the member sees", "reason", "", { maxlength: 300 });

function reasonQuery(reason) {
  return reason ? `?reason=${encodeURIComponent(reason)}` : "";
}

export function kick(api, channel, room, member, done) {
  const name = fullName(member);
  const place = room === undefined ? `the channel “${channel}”` : `the room “${room}”`;
  ask({
    title: `Kick ${name} out of ${place}?`,
    text: room === undefined
      ? "This session ends at once, and its client does not connect again by itself. The person can come back, and other sessions stay."
      : "This session is removed at once, and the others see it leave. It can join again, and other sessions of the user stay.",
    fields: [reasonField()],
    word: "Kick",
    async act({ reason }) {
      await api.call("DELETE", path(channel, room, `/members/${encodeURIComponent(member.id)}`) + reasonQuery(reason));
      done?.();
      return `${name} was kicked`;
    },
  });
}

/** Bans or mutes a member, or the author of a message, who may be gone. A ban can take their messages along. */
export function sanction(api, kind, channel, room, member, done) {
  const name = fullName(member);
  const subjects = [];
  if (member.user) subjects.push([`user ${member.user}`, `The user ${userText(member.user)}, on all connections`]);
  subjects.push([`client_id ${member.id}`, "This session only: not who connects again"]);
  const address = member.connection?.address;
  if (address) subjects.push([`address ${address}`, `Everybody at ${address}`]);
  const places = [["room", `In the room “${room}”`], ["channel", `In the whole channel “${channel}”`]];
  ask({
    title: kind === "ban" ? `Ban ${name}?` : `Mute ${name}?`,
    text: kind === "ban"
      ? "They are removed at once. Whom it is for cannot come back until the ban ends or is lifted."
      : "They can read, but not write, until the mute ends or is lifted.",
    fields: [
      field("For whom", "subject", subjects[0][0], { choices: subjects }),
      field("Where", "place", "room", { choices: places }),
      field("How long", "seconds", "3600", { choices: DURATIONS }),
      reasonField(),
      ...(kind === "ban" ? [field("Their messages", "redact", "", { choices: REDACTIONS })] : []),
    ],
    word: kind === "ban" ? "Ban" : "Mute",
    async act({ subject, place, seconds, reason, redact }) {
      const [key, value] = subject.split(/ (.*)/s);
      const body = { kind, [key]: value };
      if (redact) body.redact = true;
      if (place === "room") body.room = room;
      if (seconds) body.seconds = Number(seconds);
      if (reason) body.reason = reason;
      const made = await api.call("POST", path(channel, undefined, "/sanctions"), body);
      const count = made.redacted && await redactRest(api, channel, body, made.redacted);
      done?.();
      if (kind !== "ban") return `${name} is muted`;
      const removed = `, and ${count === 1 ? "1 message is" : `${countText(count)} messages are`} removed`;
      return `${name} is banned${count === undefined ? "" : removed}`;
    },
  });
}

/** Goes on with the messages of somebody who is banned, until there are no more. Gives how many they were. */
async function redactRest(api, channel, { kind: _kind, seconds: _seconds, redact: _redact, ...subject }, { messages, next }) {
  let count = messages;
  while (next) {
    const query = `?after=${encodeURIComponent(next)}`;
    const more = await api.call("POST", path(channel, undefined, "/redactions") + query, subject);
    count += more.messages;
    ({ next } = more);
  }
  return count;
}

/** Whom a ban or a mute is for, as the broker takes it. */
function keyOf({ user, client_id, address }) {
  return user !== undefined ? { user } : client_id !== undefined ? { client_id } : { address };
}

export function lift(api, channel, given, done) {
  const what = given.kind === "ban" ? "ban" : "mute";
  ask({
    title: `Lift the ${what} of ${subjectText(given)}?`,
    text: given.kind === "ban" ? "They can come back at once." : "They can write again at once.",
    word: `Lift the ${what}`,
    isBad: false,
    async act() {
      await liftOne(api, channel, given);
      done?.();
      return `The ${what} is lifted`;
    },
  });
}

async function liftOne(api, channel, given) {
  const query = new URLSearchParams({ kind: given.kind, ...keyOf(given) });
  if (given.room !== undefined) query.set("room", given.room);
  await api.call("DELETE", path(channel, undefined, `/sanctions?${query}`));
}

/** Lifts all mutes that hold for a member in a room: of its user, its session and its address, in the room and in the channel. */
export async function unmute(api, channel, room, member, done) {
  let mutes;
  try {
    mutes = (await mutesOf(api, channel, member)).filter((each) => each.room === undefined || each.room === room);
  } catch (error) {
    toast(error.message, "bad");
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (mutes.length === 0) {
    toast("The mute has ended");
    done?.();
    return;
  }
  const name = fullName(member);
  const list = mutes.map((each) => `${subjectText(each)}, ${each.room === undefined ? `in the whole channel “${channel}”` : "in this room"}`);
  ask({
    title: `Unmute ${name}?`,
    text: `They can write again at once. What is lifted is the mute of ${list.join("; of ")}.`,
    word: "Unmute",
    isBad: false,
    async act() {
      for (const each of mutes) await liftOne(api, channel, each);
      done?.();
      return `${name} can write again`;
    },
  });
}

async function mutesOf(api, channel, { id, user, connection }) {
  const subjects = [{ user }, { client_id: id }, { address: connection?.address }].filter((each) => Object.values(each)[0]);
  const lists = await Promise.all(subjects.map((subject) => {
    return api.list(path(channel, undefined, `/sanctions?${new URLSearchParams({ kind: "mute", ...subject })}`), "sanctions");
  }));
  return lists.flat();
}

export function redact(api, channel, room, message, done) {
  const { text } = textOf(message.message);
  const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  ask({
    title: "Remove this message?",
    text: `“${shown}” Its content is removed for everybody, in the history, too. A mark stays in its place. This cannot be undone.`,
    fields: [field("Reason, which everybody sees", "reason", "", { maxlength: 300 })],
    word: "Remove the message",
    async act({ reason }) {
      await api.call("DELETE", path(channel, room, `/messages/${message.seq}`) + reasonQuery(reason));
      done?.();
      return "The message was removed";
    },
  });
}

export function clear(api, channel, room, done) {
  ask({
    title: `Delete all messages of “${room}”?`,
    text: "All stored messages of the room are deleted, and all members are told. This cannot be undone.",
    word: "Delete all messages",
    async act() {
      await api.call("POST", path(channel, room, "/clear"));
      done?.();
      return "All messages were deleted";
    },
  });
}

export function lock(api, channel, room, rules, done) {
  const isLocked = rules.locked;
  ask({
    title: isLocked ? `Unlock “${room}”?` : `Lock “${room}”?`,
    text: isLocked
      ? "Everybody can write again."
      : "Nobody but moderators can write until it is unlocked. The members are told.",
    fields: isLocked ? [] : [field("Reason, which the members see", "reason", "", { maxlength: 300 })],
    word: isLocked ? "Unlock" : "Lock",
    isBad: !isLocked,
    async act({ reason }) {
      const change = { locked: !isLocked };
      if (reason) change.lock_reason = reason;
      await api.call("PATCH", path(channel, room, "/rules"), change);
      done?.();
      return isLocked ? "The room is unlocked" : "The room is locked";
    },
  });
}

export function limits(api, channel, room, rules, done) {
  const pause = { type: "number", min: 0, max: 86_400 };
  const most = { type: "number", min: 0, max: 1_000_000 };
  ask({
    title: `Limits of “${room}”`,
    text: "The members are told about slow mode. Members who are present stay, also above the limit.",
    fields: [
      field("Seconds between two messages of a member", "slow", rules.slow_mode_seconds ?? 0, pause),
      field("Most members, 0 for the limit of the channel", "members", rules.member_limit ?? 0, most),
    ],
    word: "Set the limits",
    isBad: false,
    async act({ slow, members }) {
      const change = { slow_mode_seconds: Number(slow), member_limit: Number(members) };
      await api.call("PATCH", path(channel, room, "/rules"), change);
      done?.();
      return "The limits are set";
    },
  });
}

/** A notice to a room, or without one to the channel. */
export function notice(api, channel, room) {
  ask({
    title: room === undefined ? `Notice to all of “${channel}”` : `Notice to “${room}”`,
    text: `${room === undefined ? "All connected clients of the channel" : "All members"} see it. It is not stored.`,
    fields: [field("Text", "text", "", { required: "", maxlength: 500 })],
    word: "Send",
    isBad: false,
    async act({ text }) {
      await api.call("POST", path(channel, room, "/notices"), { text });
      return "The notice was sent";
    },
  });
}
