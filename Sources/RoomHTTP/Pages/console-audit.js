// The audit log as sentences, with menus for what is done and by whom.

import { button, problemNode, spanText, subjectText, table, timeText } from "./console-parts.js";
import { actorText, element } from "./text.js";

const PAGE = 50;
const COLUMNS = ["When", "What was done", "From"];
/** What the menu offers: the actions that a moderator sees, and those that only a manager does. */
const MODERATION = [
  ["sanction.impose", "Bans and mutes"],
  ["sanction.lift", "Lifted bans and mutes"],
  ["member.kick", "Kicks"],
  ["message.redact", "Removed messages"],
  ["room.clear", "Deleted messages of a room"],
  ["history.prune", "Deleted old messages"],
  ["room.lock", "Locks"],
  ["room.unlock", "Ends of locks"],
  ["room.slow_mode", "Slow mode"],
  ["room.limit_members", "Limits of members"],
  ["room.notice", "Notices to a room"],
  ["channel.notice", "Notices to a channel"],
];
const MANAGEMENT = [
  ["channel.create", "New channels"],
  ["channel.update", "Changed channels"],
  ["channel.delete", "Deleted channels"],
  ["channel.rotate_secret", "New secrets"],
  ["token.create", "New admin tokens"],
  ["token.delete", "Revoked admin tokens"],
  ["backup.create", "Backups"],
  ["history.import", "Imports"],
];

export function audit({ api, node, events }) {
  const list = element("div");
  const actions = menu("What", [["", "Everything"], ...MODERATION, ...(api.may("manage") ? MANAGEMENT : [])]);
  const actors = menu("By whom", [["", "By anybody"]]);
  const known = new Set();
  const newer = button("Newest", "small", () => load([]));
  const older = button("Older", "small", () => load([...places, next]));
  const pager = element("div", "pager", element("span"), element("div", "", newer, older));
  let places = [];
  let next;
  async function load(to = places) {
    places = to;
    const query = new URLSearchParams({ limit: PAGE });
    if (places.length > 0) query.set("before", places.at(-1));
    if (actors.value) query.set("actor", actors.value);
    if (actions.value) query.set("action", actions.value);
    try {
      const page = await api.get(`/audit?${query}`);
      next = page.next;
      offer(page.entries);
      list.replaceChildren(table(COLUMNS, page.entries.map(rowOf), "No entries."));
      newer.disabled = places.length === 0;
      older.disabled = !next;
    } catch (error) {
      list.replaceChildren(problemNode(error));
    }
  }
  /** The menu has those whom the pages have shown. */
  function offer(entries) {
    for (const { actor } of entries) {
      if (known.has(actor)) continue;
      known.add(actor);
      actors.append(new Option(`By ${actorText(actor)}`, actor));
    }
  }
  for (const input of [actors, actions]) input.addEventListener("change", () => load([]));
  node.append(
    element("div", "head", element("h1", "", "Audit log")),
    element("div", "filters", actions, actors),
    element("section", "card flush", list, pager),
  );
  load();
  return events.on((name) => {
    if (places.length === 0 && ["moderated", "channel_changed", "channel_removed", "missed"].includes(name)) load();
  });
}

function menu(label, choices) {
  const made = element("select", "", ...choices.map(([value, text]) => new Option(text, value)));
  made.setAttribute("aria-label", label);
  return made;
}

function rowOf(entry) {
  const sentence = element("bdi", "", sentenceOf(entry));
  sentence.title = `${entry.action} ${entry.target} ${JSON.stringify(entry.details)}`;
  return [
    element("span", "soft when", timeText(entry.time)),
    sentence,
    element("span", "soft", entry.origin === "unix" ? "this machine" : entry.origin),
  ];
}

/** `leia muted spammer in the room lobby for 10 minutes: no adverts` */
export function sentenceOf({ actor, action, target, details }) {
  const deed = DEEDS[action]?.(details, placeOf(target), target) ?? `did ${action} on ${target}`;
  const reason = details.reason ? `: ${details.reason}` : "";
  return `${actorText(actor)} ${deed}${reason}`;
}

/** A target with a slash is a room: no channel has one in its id. */
function placeOf(target) {
  const [channel, ...room] = target.split("/");
  const of = channel === "default" ? "" : ` of the channel ${channel}`;
  return room.length > 0 ? `the room ${room.join("/")}${of}` : `the channel ${channel}`;
}

/** A name is what somebody calls itself, which can change: what does not stands beside it. */
const subjectOf = ({ name, ...subject }) => {
  const text = subjectText(subject);
  return name ? `${name} (${text ?? "no id"})` : (text ?? "somebody");
};
const lengthOf = ({ seconds }) => (seconds === undefined ? "" : ` for ${spanText(seconds)}`);
const given = (value) => value !== undefined && value !== null;

const DEEDS = {
  "member.kick": (details, place) => `kicked ${subjectOf(details)} out of ${place}`,
  "sanction.impose": (details, place) => {
    const deed = details.kind === "ban" ? `banned ${subjectOf(details)} from` : `muted ${subjectOf(details)} in`;
    const rest = details.redact ? ", and removed their messages there" : "";
    return `${deed} ${place}${lengthOf(details)}${rest}`;
  },
  "sanction.lift": (details, place) => `lifted the ${details.kind} of ${subjectOf(details)} in ${place}`,
  "room.lock": (_, place) => `locked ${place}`,
  "room.unlock": (_, place) => `unlocked ${place}`,
  "room.slow_mode": ({ seconds }, place) =>
    seconds > 0 ? `set a message every ${spanText(seconds)} as the slow mode of ${place}` : `turned the slow mode of ${place} off`,
  "room.limit_members": ({ count }, place) => (count > 0 ? `limited ${place} to ${count} members` : `ended the limit of members of ${place}`),
  "message.redact": (details, place) => {
    if (!given(details.target_seq) && !given(details.target_id)) return `removed all messages of ${subjectOf(details)} in ${place}`;
    const message = given(details.target_seq) ? `message ${details.target_seq}` : "a message";
    return `removed ${message} of ${subjectOf(details)} in ${place}`;
  },
  "room.clear": (_, place) => `deleted all messages of ${place}`,
  "history.prune": ({ keep, older_than_seconds: age }, place) => {
    const bounds = [given(keep) && `all but the newest ${keep}`, given(age) && `those older than ${spanText(age)}`].filter(Boolean);
    return `deleted old messages of ${place} (${bounds.join(", ")})`;
  },
  "history.import": (_, place) => `imported messages into ${place}`,
  "room.notice": ({ text }, place) => `sent a notice to ${place}: ${text}`,
  "channel.notice": ({ text }, place) => `sent a notice to ${place}: ${text}`,
  "channel.create": (_, place) => `made ${place}`,
  "channel.update": ({ changes }, place) => `changed ${place}${changes ? `: ${Object.keys(changes).join(", ")}` : ""}`,
  "channel.delete": (_, place) => `deleted ${place}`,
  "channel.rotate_secret": (_, place) => `made a new secret for ${place}`,
  "token.create": (_, place, target) => `made the admin token ${target}`,
  "token.delete": (_, place, target) => `revoked the admin token ${target}`,
  "backup.create": () => "made a backup",
};
