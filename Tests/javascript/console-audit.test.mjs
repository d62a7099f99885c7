import assert from "node:assert/strict";
import { test } from "node:test";
import { sentenceOf } from "../../Sources/RoomHTTP/Pages/console-audit.js";
import { API } from "../../Sources/RoomHTTP/Pages/console-api.js";
import { actorText } from "../../Sources/RoomHTTP/Pages/text.js";
import { lastingText } from "../../Sources/RoomHTTP/Pages/console-parts.js";

const entry = (action, details = {}, target = "talk/lobby", actor = "member:leia") => ({ actor, action, target, details });
const PLACE = "the room lobby of the channel talk";

for (const [given, sentence] of [
  [
    entry("sanction.impose", { kind: "mute", user: "spammer", reason: "no adverts", seconds: 600 }, "default/lobby"),
    "leia muted user spammer in the room lobby for 10 minutes: no adverts",
  ],
  [
    entry("sanction.impose", { kind: "ban", user: "spammer", redact: true }, "talk", "token:ops"),
    "token ops banned user spammer from the channel talk, and removed their messages there",
  ],
  [entry("sanction.lift", { kind: "ban", address: "192.0.2.0/24" }), `leia lifted the ban of 192.0.2.0/24 in ${PLACE}`],
  [entry("member.kick", { client_id: "Kf3", reason: "enough" }), `leia kicked session Kf3 out of ${PLACE}: enough`],
  [entry("member.kick", { client_id: "Kf3", name: "Luke" }), `leia kicked Luke (session Kf3) out of ${PLACE}`],
  [entry("member.kick", { client_id: "Kf3", user: "u7", name: "Luke" }), `leia kicked Luke (user u7) out of ${PLACE}`],
  [entry("room.lock", { reason: "night" }), `leia locked ${PLACE}: night`],
  [entry("room.slow_mode", { seconds: 1 }), `leia set a message every 1 second as the slow mode of ${PLACE}`],
  [entry("room.slow_mode", { seconds: 0 }), `leia turned the slow mode of ${PLACE} off`],
  [
    entry("message.redact", { target_seq: 41, client_id: "Kf3", name: "Luke", reason: "spam" }),
    `leia removed message 41 of Luke (session Kf3) in ${PLACE}: spam`,
  ],
  [entry("message.redact", { client_id: "Kf3" }), `leia removed all messages of session Kf3 in ${PLACE}`],
  [
    entry("history.prune", { keep: 1000, older_than_seconds: 86400 }, "talk", "uid:0"),
    "user 0 of the machine deleted old messages of the channel talk (all but the newest 1000, those older than 1 day)",
  ],
  [entry("room.clear", {}, "talk/a/b"), "leia deleted all messages of the room a/b of the channel talk"],
  [entry("token.create", { scopes: ["read"] }, "reader", "uid:0"), "user 0 of the machine made the admin token reader"],
  [entry("something.new", {}, "talk"), "leia did something.new on talk"],
]) {
  test(sentence, () => assert.equal(sentenceOf(given), sentence));
}

test("an actor has a name", () => {
  assert.deepEqual(["member:a:b", "token:ops", "start"].map(actorText), ["a:b", "token ops", "the options of the start"]);
  // and no member has that of another kind
  assert.deepEqual(["member:token ops", "member:m\u202e"].map(actorText), ["\"token ops\"", "\"m\\u{202E}\""]);
});

test("a scope includes those before it", () => {
  const may = (scopes) => ["read", "moderate", "manage"].map((scope) => API.prototype.may.call({ scopes }, scope));
  assert.deepEqual(may(["read"]), [true, false, false]);
  assert.deepEqual(may(["moderate"]), [true, true, false]);
  assert.deepEqual(may(["manage"]), [true, true, true]);
  assert.deepEqual(may(undefined), [false, false, false]);
});

test("an uptime has its two largest units", () => {
  const texts = [59, 60, 3661, 86_400, 200_000].map(lastingText);
  assert.deepEqual(texts, ["less than a minute", "1 minute", "1 hour 1 minute", "1 day", "2 days 7 hours"]);
});
