// What a moderator can do: the words of the menus and dialogs, and the fields of each question.

import { element, momentText } from "./text.js";

const SPANS = [
  ["600", "10 minutes"],
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "1 week"],
  ["", "Until it is lifted"],
];
const PACES = [
  ["0", "Off"], ["5", "5 seconds"], ["10", "10 seconds"], ["30", "30 seconds"],
  ["60", "1 minute"], ["300", "5 minutes"], ["900", "15 minutes"],
];
const MOST_QUOTED = 500;
const BY_SESSION = "Which user this is is not known here, so it applies to one session only.";

/** Until when a mute or a ban lasts: " until 14:05", or that it has to be lifted. */
export const endText = (until) => (until ? ` until ${momentText(until)}` : " until it is lifted");

/**
 * `item` is the line in the menu. An act with a `title` asks before it is done; `fields` are those of its question.
 * `done` is what is said then; a mute and a ban have an `until` unless they are to be lifted.
 */
export const ACTS = {
  redact: {
    item: "Remove the message…",
    title: () => "Remove this message?",
    text: "Its text is removed for everybody, in the history, too. A mark stays in its place. This cannot be undone.",
    word: "Remove",
    fields: (_person, _rules, entry) => [quote(entry), reason()],
  },
  mute: {
    item: "Mute…",
    title: (name) => `Mute ${name}?`,
    text: "The member can read in this room, but not write.",
    word: "Mute",
    fields: (person) => [span(), reason(), ...bySession(person)],
    done: (name, { until }) => `You have muted ${name}${endText(until)}.`,
  },
  kick: {
    item: "Kick…",
    title: (name) => `Kick ${name} out of the room?`,
    text: "The member leaves the room at once, and can come back.",
    word: "Kick",
    fields: () => [reason()],
    done: (name) => `You have kicked ${name} out of the room.`,
  },
  ban: {
    item: "Ban…",
    title: (name) => `Ban ${name}?`,
    text: "The member leaves the room at once, and cannot come back.",
    word: "Ban",
    fields: (person) => [span(), reason(), all(person), ...bySession(person)],
    done: (name, { until, count }) => {
      const removed = count === undefined ? "" : ` Messages that were removed: ${count.toLocaleString()}.`;
      return `You have banned ${name}${endText(until)}.${removed}`;
    },
  },
  unmute: { item: "Lift the mute", done: (name) => `You have lifted the mute of ${name}.` },
  unban: { item: "Lift the ban", done: (name) => `You have lifted the ban of ${name}.` },
  lock: {
    item: "Lock the room…",
    title: () => "Lock this room?",
    text: "Only moderators can write here, until somebody unlocks it.",
    word: "Lock",
    fields: () => [reason()],
  },
  unlock: { item: "Unlock the room" },
  slow_mode: {
    item: "Slow mode…",
    title: () => "Slow mode",
    text: "Each member waits this long between two messages. Moderators do not.",
    word: "Set",
    fields: (_, rules) => [select("Pause between two messages", PACES, rules?.slow_mode_seconds ?? 0)],
  },
  notice: {
    item: "Send a notice…",
    title: () => "Send a notice",
    text: "All who are in this room see it now. It is not stored.",
    word: "Send",
    fields: () => [field("Text", input("text", 500, true))],
    done: () => "The notice was sent.",
  },
  sanctions: { item: "Muted and banned…" },
};

function field(label, input) {
  return element("label", "field", element("span", "", label), input);
}

function input(name, longest, isRequired = false) {
  const made = element("input");
  Object.assign(made, { name, maxLength: longest, autocomplete: "off", dir: "auto", required: isRequired });
  return made;
}

/** The message that an act is about. */
function quote({ author, text }) {
  const shown = text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
  const said = element("span", "", shown);
  said.dir = "auto";
  return element("blockquote", "quote", element("bdi", "", author), said);
}

const reason = () => field("Reason (optional; others may see it)", input("reason", 120));

const span = () => select("For how long", SPANS, 3600);

/** A value that the list has not is put first: a client of another kind has set it. */
function select(label, options, value) {
  const known = options.some(([each]) => each === String(value));
  const all = known ? options : [[String(value), `${value} seconds`], ...options];
  const made = element("select", "", ...all.map(([each, text]) => new Option(text, each)));
  made.name = "seconds";
  made.value = String(value);
  return field(label, made);
}

function all({ name, user }) {
  const box = input("redact", 0);
  box.type = "checkbox";
  const text = element("span", "", "Also remove all messages of ", element("bdi", "", name), ` in this room${user ? "" : ", of this session"}. This cannot be undone.`);
  return element("label", "check", box, text);
}

const bySession = ({ user }) => (user ? [] : [element("p", "sheet-note", BY_SESSION)]);

/** The fields of the answer, as the broker takes them. */
export function answerOf(form) {
  const { reason, seconds, redact, text } = Object.fromEntries(new FormData(form));
  return {
    ...(reason?.trim() && { reason: reason.trim() }),
    ...(seconds && { seconds: Number(seconds) }),
    ...(redact && { redact: true }),
    ...(text?.trim() && { text: text.trim() }),
  };
}
