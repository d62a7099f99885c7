// Parts that both pages share: texts, names and colours of others, as DOM nodes. Nothing of them ever becomes HTML.

export const COLOURS = ["#c2255c", "#d9480f", "#b08900", "#2b8a3e", "#0b7285", "#1864ab", "#5f3dc4", "#9c36b5"];

/** Makes an element; `content` is text or nodes. */
export function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** The name that a member chose, or a word for one that chose none. */
export function nameOf(member, sender) {
  const name = member?.clientData?.name;
  if (typeof name === "string" && name.trim()) return name.trim().slice(0, 80);
  if (sender?.kind === "rest") return "REST";
  if (sender?.kind === "admin") return "Administrator";
  return member ? `Guest ${String(member.id).slice(0, 4)}` : "Somebody";
}

/** By this, names are compared that look alike: in lower case, in one of the spellings of an accent, without what nobody can see. */
export function nameKey(name) {
  return name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").toLowerCase();
}

/** Bytes; a longer one is none. */
const LONGEST_USER = 200;
const NAMING = ["id", "user_id", "sub"];
const canName = (value) => typeof value === "string" || typeof value === "number";

/** The object that names the user, and under what. */
function namingOf(member) {
  const data = member?.authData;
  return typeof data === "object" && data !== null ? [data, NAMING.find((field) => canName(data[field]))] : [member, "authData"];
}

/** The user that a member's token names, as far as JSON.parse can tell: it rounds a number above 2^53. */
export function nearUserOf(member) {
  const [holder, field] = namingOf(member);
  return canName(holder?.[field]) ? String(holder[field]) : undefined;
}

/**
 * The same as the broker knows it. A number is known by its digits, which roomline.js keeps where the browser tells them (Chrome 114,
 * Safari 18.4, Firefox 135).
 */
export function userOf(member) {
  const [holder, field] = namingOf(member);
  const user = typeof holder?.[field] === "number" ? holder[Symbol.for("roomline.digits")]?.[field] : nearUserOf(member);
  return user && new TextEncoder().encode(user).length <= LONGEST_USER ? user : undefined;
}

/** What nobody sees, what ends a word, and U+2800, which is a letter without ink. */
const HIDING = /^$|[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800,"\\]/u;

/** A user as it is shown: in quotes, with escapes, where it could be taken for another one. */
export function userText(user) {
  if (!HIDING.test(user) && user.normalize("NFC") === user) return user;
  // the second of two blanks is not shown
  const escaped = user.replace(/["\\]/g, "\\$&").replace(/[^ -~]|(?<= ) /gu, (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);
  return `"${escaped}"`;
}

/** Who has done something: `leia`, `token ops`, `user 0 of the machine`. A user that says the same is in quotes. */
export function actorText(actor) {
  const [kind, ...rest] = actor.split(":");
  const name = rest.join(":");
  if (kind === "member") return userText(name);
  if (kind === "token") return `token ${name}`;
  if (kind === "uid") return `user ${name} of the machine`;
  return actor === "start" ? "the options of the start" : actor;
}

export const isColour = (text) => /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text);

/** The colour that a member chose, if it is one; else always the same one: for the user, the name or the id. */
export function colourOf(member, id = "") {
  const chosen = member?.clientData?.color;
  if (typeof chosen === "string" && isColour(chosen)) return chosen;
  const name = member?.clientData?.name;
  // an id is another one after a reconnection
  const key = nearUserOf(member) ?? (typeof name === "string" && name.trim() ? name.trim() : id);
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.codePointAt(0)) >>> 0;
  return COLOURS[hash % COLOURS.length];
}

/** One or two letters for an avatar. */
export function initials(name) {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [name];
  return letters.map((word) => [...word][0]).join("").toUpperCase();
}

export function avatar(name, colour, className = "") {
  const made = element("span", `avatar ${className}`, initials(name));
  made.style.setProperty("--c", colour);
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** The content of a message: text where it is one, otherwise its JSON. */
export function textOf(value) {
  if (typeof value === "string") return { text: value, isCode: false };
  if (value && typeof value.text === "string") return { text: value.text, isCode: false };
  return { text: JSON.stringify(value) ?? "", isCode: true };
}

/** `waves` of `/me waves`, a text about its sender (XEP-0245); undefined where the text is none. */
export function actionOf({ text, isCode, isGone }) {
  return !isCode && !isGone && text.startsWith("/me ") ? text.slice("/me ".length) : undefined;
}

/** A message as one line: `Luke: hello`, or `* Luke waves`. */
export function lineOf(entry, who, longest) {
  const action = actionOf(entry);
  return action === undefined ? `${who}: ${entry.text.slice(0, longest)}` : `* ${entry.name} ${action.slice(0, longest)}`;
}

let emojiOnly;
try {
  emojiOnly = new RegExp("^(?:\\p{RGI_Emoji}\\s?){1,3}$", "v");
} catch {
  // a browser without the v flag
  emojiOnly = /^(?:\p{Extended_Pictographic}\uFE0F?\s?){1,3}$/u;
}
export function isBigEmoji(text) {
  return text.length < 40 && emojiOnly.test(text);
}

const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"\u202a-\u202e\u2066-\u2069]+/giu;

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Where a name stands in texts, in upper or lower case and any spelling of its accents, with no letter and no digit beside it. */
function wordOf(name) {
  const spellings = ["NFC", "NFD"].map((form) => escaped(name.normalize(form))).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${spellings})(?![\\p{L}\\p{M}\\p{N}])`, "giu");
}

export const mentions = (text, name) => Boolean(name) && wordOf(name).test(text);

function appendPlain(parent, text, name) {
  let end = 0;
  for (const match of name ? text.matchAll(wordOf(name)) : []) {
    parent.append(text.slice(end, match.index), element("mark", "mention", match[0]));
    end = match.index + match[0].length;
  }
  parent.append(text.slice(end));
}

/** Appends the text; addresses in it become links that tell their target nothing about this page; `name` is marked. */
export function appendText(parent, text, name) {
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    const address = withoutTail(match[0]);
    if (!isSafe(address)) continue;
    appendPlain(parent, text.slice(end, match.index), name);
    const link = element("a", "", address);
    link.href = address;
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
    parent.append(link);
    end = match.index + address.length;
  }
  appendPlain(parent, text.slice(end), name);
}

/** Without the punctuation of the sentence around it. */
function withoutTail(address) {
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1];
    const isUnmatched = last === ")" && !address.slice(0, end - 1).includes("(");
    if (!isUnmatched && !".,;:!?'\u201d\u2019]}*_".includes(last)) break;
    end -= 1;
  }
  return address.slice(0, end);
}

function isSafe(address) {
  try {
    const { protocol, pathname, host } = new URL(address);
    return protocol === "mailto:" ? pathname.includes("@") : /^https?:$/.test(protocol) && host !== "";
  } catch {
    return false;
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const date = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });
const shortDate = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export const timeText = (time) => clock.format(time);

export function dayKey(time) {
  return time.getFullYear() * 10000 + time.getMonth() * 100 + time.getDate();
}

/** "Today", "Yesterday", or the date. */
export function dayText(time, now = new Date()) {
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return (days > 0 && days < 300 ? weekday : date).format(time);
}

/** For the list of rooms: the time of today, or the day. */
export function whenText(time) {
  return dayKey(time) === dayKey(new Date()) ? timeText(time) : shortDate.format(time);
}

/** A moment that may be on another day: "14:05", or with the day. */
export function momentText(time) {
  return dayKey(time) === dayKey(new Date()) ? timeText(time) : `${date.format(time)}, ${timeText(time)}`;
}

export function plural(count, one, many) {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
