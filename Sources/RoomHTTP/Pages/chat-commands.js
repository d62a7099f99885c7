// What a text that begins with `/` means. Nothing of it is published, except `/me` and what stands behind a second `/`.

import { actionOf } from "./text.js";

const LIST = [
  ["/me TEXT", "says something about you, such as /me waves"],
  ["/who", "names who is here"],
  ["/join ROOM", "joins a room, or shows it"],
  ["/leave", "leaves this room"],
  ["/name NAME", "changes your name"],
  ["/color", "changes your colour"],
  ["//text", "sends /text"],
];

/** What the page has in another way, or not at all. */
const HINTS = {
  "/msg": "There are no private messages: everybody in a room can read what is said in it. A name in a text is marked for whom it names.",
  "/history": "Older messages come when you scroll up.",
  "/search": "The search of the browser finds what is shown. Older messages come when you scroll up.",
  "/quit": "Close this page to leave the chat. /leave leaves this room.",
};
const MODERATES = "Moderators act by the menu of a message, of a member, or of the room.";
for (const word of ["/kick", "/ban", "/unban", "/mute", "/unmute", "/bans", "/lock", "/unlock", "/slow", "/redact", "/clear", "/notice"]) {
  HINTS[word] = MODERATES;
}

const OTHER_NAMES = {
  "/query": "/msg", "/part": "/leave", "/nick": "/name", "/colour": "/color", "/?": "/help", "/exit": "/quit", "/q": "/quit",
};
const WITHOUT_ARGUMENT = new Set(["/who", "/help"]);
const ACTS = { "/who": "who", "/join": "join", "/leave": "leave", "/name": "name", "/color": "color", "/help": "help" };

export const HELP = LIST.map(([command, meaning]) => `${command}: ${meaning}`);

/** `{ say }` a text, `{ act, argument }` for the page, or `{ problem }`: a sentence; then nothing is done. */
export function commandOf(text) {
  if (!text.startsWith("/")) return { say: text };
  if (text.startsWith("//")) return { say: text.slice(1) };
  const [, typed, argument] = text.match(/^(\S+)\s*(.*)$/s);
  const word = typed.toLowerCase();
  if (word === "/me") return argument ? { say: `/me ${argument}` } : { problem: "/me needs a text, such as: /me waves" };
  const name = Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : word;
  if (Object.hasOwn(HINTS, name)) return { problem: HINTS[name] };
  if (!Object.hasOwn(ACTS, name)) {
    return { problem: `There is no ${typed.slice(0, 40)}, and nothing was sent. /help lists the commands, and //text sends /text.` };
  }
  if (name === "/join" && !argument) return { problem: "/join needs the name of a room. The + above the list of rooms finds one." };
  if (argument && WITHOUT_ARGUMENT.has(name)) return { problem: `${word} takes nothing behind it.` };
  return { act: ACTS[name], argument };
}

/** What one types so that this text is sent. */
export function typedOf(text) {
  return text.startsWith("/") && actionOf({ text }) === undefined ? `/${text}` : text;
}

/** Whether what is in the field becomes a message: a command tells nobody that one writes. */
export const isMessage = (text) => text.trim() !== "" && (!text.startsWith("/") || text.startsWith("//") || actionOf({ text }) !== undefined);
