// What the page says about an error: one sentence for a person. The broker's own words are for who writes a client.

import { momentText } from "./text.js";

const SENTENCES = {
  authentication_required: "You need a token here.",
  token_invalid: "This token is not valid here. Paste all of it, or ask for another one.",
  token_expired: "This token has expired. Ask for another one.",
  permission_denied: "You are not allowed to do this here.",
  unknown_channel: "There is no channel with this name.",
  room_name_invalid: "A room cannot have this name: it is too long, or has characters that are not allowed.",
  room_locked: "A moderator has locked this room.",
  rate_limited: "That was too fast. Wait a moment, and try again.",
  too_many_rooms: "There are too many rooms. Leave one first.",
  too_many_stored_rooms: "There are too many rooms. Write in one that is older.",
  too_many_members: "The room is full. Try again later.",
  too_many_connections: "There are too many people at the moment. Try again later.",
  too_many_sanctions: "The channel has too many bans and mutes. Lift some first.",
  message_too_large: "The message is too long.",
  line_too_long: "The message is too long.",
  message_not_found: "The message is not there any more.",
  member_not_found: "The member is not here any more.",
  sanction_not_found: "It was lifted, or has ended, before.",
  storage_unavailable: "The broker cannot store messages at the moment. Try again later.",
  shutting_down: "The broker is being restarted.",
  replaced: "This session goes on in another window.",
  timed_out: "The broker has not answered in time.",
  connection_failed: "The broker does not answer.",
  connection_lost: "The connection is lost.",
  not_connected: "The connection is lost.",
  outbox_full: "Too many messages wait for the broker.",
};

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** With a capital letter, a full stop, and the times of this person's clock. */
function sentence(text) {
  const local = text.replace(MOMENT, (moment) => momentText(new Date(moment)));
  return local.charAt(0).toUpperCase() + local.slice(1).replace(/[^.!?…]$/u, "$&.");
}

/** A moderator's reason, unless the broker has made a sentence of it already. */
function removal(message) {
  const reason = message.replace(/^removed from ".*?": /s, "");
  return sentence(/^(?:a moderator|you) /.test(reason) ? reason : `a moderator has removed you: ${reason}`);
}

/** Until when slow mode keeps one from writing; `undefined` for other errors. The broker has one code for all that is too fast. */
export function slowModeText({ code, message, retryIn }) {
  if (code !== "rate_limited" || !/slow mode/.test(message)) return undefined;
  return `the room is in slow mode, and one can write again at ${momentText(new Date(Date.now() + (retryIn ?? 0)))}.`;
}

export function sentenceOf({ code, message }, channel) {
  if (code === "unknown_channel" && channel) return `There is no channel “${channel}”.`;
  if (code === "kicked") return removal(message);
  if (code === "token_invalid" && /accepts no tokens/.test(message)) return "This channel takes no tokens.";
  return SENTENCES[code] ?? sentence(message);
}
