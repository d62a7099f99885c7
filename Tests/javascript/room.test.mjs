import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { advance, resumeTime, settled, stopTime } from "./support/clock.mjs";
import {
  Reader, ScriptedBroker, brief, connected, epoch, gap, historyMessage, joined, luke, message, otherEpoch, redaction,
} from "./support/scripted.mjs";

beforeEach(stopTime);
afterEach(resumeTime);

/** A member of "lobby" who has read up to `seq`, and comes back after an interruption. */
async function comeBack(seq, reply, options = { history: 0 }) {
  const { broker, client, connection, room } = await joined(options, { reply: { seq: 0 } });
  const reader = new Reader(room);
  for (let each = 1; each <= seq; each += 1) connection.tell(message(each));
  await reader.take();
  await connection.lose();
  await advance(100);
  const next = await broker.accept({ resumed: true });
  const subscribe = await next.acceptSubscribe(reply);
  return { broker, client, room, reader, connection: next, subscribe };
}

describe("joining", () => {
  test("asks for history, and continues after it", async () => {
    const { client, connection } = await connected();
    const joining = client.join("lobby", { history: 3 });
    const frame = connection.take("subscribe");
    const { callback, ...request } = frame;
    assert.deepEqual(request, {
      type: "subscribe", room: "lobby", history_count: 3, presence: true, overflow: "drop_oldest",
    });
    assert.equal(typeof callback, "number");
    connection.reply(frame, { epoch, seq: 10 });
    for (const [index, seq] of [8, 9, 10].entries()) connection.tell(historyMessage(seq, index));
    connection.tell(message(11));
    const room = await joining;
    const events = [];
    room.on("*", (event) => events.push(event));
    await settled();
    const seen = events.map(({ seq, isHistory }) => [seq, isHistory]);
    assert.deepEqual(seen, [[8, true], [9, true], [10, true], [11, false]]);
    assert.deepEqual(room.position, { epoch, seq: 11 });
  });

  test("at a position asks for what follows it, and tells when that has come", async () => {
    const { connection, room } = await joined({ since: { epoch, seq: 5 } }, { reply: { seq: 7, recovered: true } });
    const reader = new Reader(room);
    connection.tell(message(6));
    connection.tell(message(7));
    connection.tell(message(8));
    assert.deepEqual(await reader.take(), [6, 7, "recovered 2", 8]);
  });

  test("rejects with the broker's refusal, and can be tried again", async () => {
    const { client, connection } = await connected();
    const joining = client.join("lobby");
    connection.refuse(connection.take("subscribe"), "permission_denied");
    await assert.rejects(joining, { code: "permission_denied" });
    client.join("lobby");
    connection.take("subscribe");
  });

  test("twice is refused", async () => {
    const { client } = await joined();
    await assert.rejects(client.join("lobby"), { code: "already_joined" });
  });

  test("then leaving, then joining before the first has ended: the last one counts", async () => {
    const { client, connection } = await connected();
    const first = assert.rejects(client.join("lobby"), { code: "closed" });
    client.leave("lobby");
    const last = client.join("lobby");
    await first;
    const [one, unsubscribe, other] = ["subscribe", "unsubscribe", "subscribe"].map((type) => connection.take(type));
    connection.reply(one, { epoch, seq: 1 });
    connection.tell(message(2));
    connection.reply(unsubscribe);
    connection.reply(other, { epoch, seq: 2 });
    connection.tell(message(3));
    assert.deepEqual(await new Reader(await last).take(), [3]);
  });

  test("again while the first waits takes its place", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client();
    const first = assert.rejects(client.join("lobby", { history: 1 }), { code: "closed" });
    const last = client.join("lobby", { history: 2 });
    await first;
    const connection = await broker.accept();
    assert.equal((await connection.acceptSubscribe()).history_count, 2);
    assert.equal((await last).name, "lobby");
    assert.equal(connection.sent.length, 0);
  });

  test("is cancelled by a signal, also before there is a connection", async () => {
    const { broker, client, connection } = await connected();
    const ends = [new AbortController(), new AbortController(), new AbortController()];
    ends[0].abort("gone");
    const [none, waiting, offline] = ends.map(({ signal }, number) => {
      return assert.rejects(client.join(`room ${number}`, { signal }), { code: "closed", cause: "gone" });
    });
    await none;
    assert.equal(connection.take("subscribe").room, "room 1");
    ends[1].abort("gone");
    await waiting;
    connection.take("subscribe");
    assert.equal(connection.take("unsubscribe").room, "room 1");
    await connection.lose();
    ends[2].abort("gone");
    await offline;
    await advance(100);
    assert.equal((await broker.accept()).sent.length, 0);
  });

  test("with a signal leaves the room when that is aborted later", async () => {
    const end = new AbortController();
    const { connection, room } = await joined({ signal: end.signal });
    const reader = new Reader(room);
    end.abort();
    assert.equal(connection.take("unsubscribe").room, "lobby");
    assert.deepEqual(await reader.take(), ["ended"]);
  });

  test("waits for the connection and survives its loss", async () => {
    const { broker, client, connection } = await connected();
    const joining = client.join("lobby");
    await connection.lose();
    await advance(100);
    await (await broker.accept()).acceptSubscribe();
    assert.equal((await joining).name, "lobby");
  });

  test("frames of an earlier membership are ignored", async () => {
    const { client, connection, room } = await joined();
    const leaving = room.leave();
    const again = client.join("lobby");
    connection.tell(message(1));
    connection.reply(connection.take("unsubscribe"));
    await leaving;
    connection.tell(message(1));
    await connection.acceptSubscribe({ seq: 1 });
    connection.tell(message(2));
    const reader = new Reader(await again);
    assert.deepEqual(await reader.take(), [2]);
  });

  test("without an answer leaves the room, so that a late answer meets nobody", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    const joining = assert.rejects(client.join("lobby"), { code: "timed_out" });
    connection.take("subscribe");
    await advance(30_000);
    await joining;
    connection.take("unsubscribe");
  });
});

describe("order", () => {
  const elsewhere = { epoch: otherEpoch };
  const cleared = { type: "room_cleared", room: "lobby", epoch: otherEpoch, seq: 0 };
  for (const [name, frames, expected] of [
    ["messages in order", [message(1), message(2)], [1, 2]],
    ["a repeat", [message(1), message(2), message(1), message(2), message(3)], [1, 2, 3]],
    ["a hole without a word", [message(1), message(4)], [1, "gap slow 2-3", 4]],
    ["a redaction between messages", [message(1), redaction(2, 1), message(3)], [1, "redacted 1", 3]],
    ["a gap", [message(1), gap(2, 5), message(6)], [1, "gap trimmed 2-5", 6]],
    ["a gap of known messages", [message(1), message(2), gap(1, 2), message(3)], [1, 2, 3]],
    ["a gap that overlaps", [message(1), message(2), gap(1, 4), message(5)], [1, 2, "gap trimmed 3-4", 5]],
    ["a gap of another log", [message(1), gap(1, 9, "trimmed", elsewhere), message(2)], [1, "gap trimmed", 2]],
    ["another log", [message(1), gap(1, 4, "epoch", elsewhere), message(4), message(5)], [1, "gap epoch", 5]],
    ["a clearing", [message(1), cleared, message(1)], ["cleared", 1]],
    ["ephemeral messages", [message(1), message(undefined, "now"), message(2)], [1, "now", 2]],
    ["frames of other rooms", [message(1), message(2, "x", { room: "attic" }), message(2)], [1, 2]],
    ["a frame of a type that is new", [message(1), { type: "confetti", room: "lobby" }, message(2)], [1, 2]],
    ["an entry of a kind that is new", [message(1), { type: "confetti", room: "lobby", seq: 2 }, message(3), message(5)], [1, 3, "gap slow 4-4", 5]],
  ]) {
    test(name, async () => {
      const { connection, room } = await joined();
      const reader = new Reader(room);
      for (const frame of frames) connection.tell(frame);
      assert.deepEqual(await reader.take(), expected);
    });
  }

  test("a history that begins earlier than asked is no gap, because redactions do not count", async () => {
    const { connection, room } = await joined({ history: 2 }, { reply: { seq: 10 } });
    const reader = new Reader(room);
    connection.tell(historyMessage(7, 0));
    connection.tell(historyMessage(9, 1));
    connection.tell(message(11));
    assert.deepEqual(await reader.take(), [7, 9, 11]);
  });

  test("what is damaged in the history is told, and what is older than that is not", async () => {
    const { connection, room } = await joined({ history: 3 }, { reply: { seq: 10 } });
    const reader = new Reader(room);
    connection.tell(gap(5, 6, "lost"));
    connection.tell(historyMessage(8, 0));
    connection.tell(gap(9, 9, "lost"));
    connection.tell(historyMessage(10, 1));
    connection.tell(message(11));
    assert.deepEqual(await reader.take(), [8, "gap lost 9-9", 10, 11]);
  });
});

describe("coming back", () => {
  test("continues after the last message, and tells how many were missed", async () => {
    const { connection, reader, room, subscribe } = await comeBack(2, { seq: 4, recovered: true });
    assert.deepEqual(subscribe.since, { epoch, seq: 2 });
    const missed = [];
    room.on("message", ({ isMissed }) => missed.push(isMissed));
    for (const seq of [3, 4, 5]) connection.tell(message(seq));
    assert.deepEqual(await reader.take(), [3, 4, "recovered 2", 5]);
    assert.deepEqual(missed, [true, true, false]);
  });

  test("to a room where nothing was said tells so at once", async () => {
    const { reader } = await comeBack(2, { seq: 2, recovered: true });
    assert.deepEqual(await reader.take(), ["recovered 0"]);
  });

  test("with a gap tells what is gone, then gives what is left", async () => {
    const { connection, reader } = await comeBack(2, { seq: 9, recovered: false });
    assert.deepEqual(await reader.take(), []);
    connection.tell(gap(3, 7));
    connection.tell(message(8));
    connection.tell(message(9));
    assert.deepEqual(await reader.take(), ["gap trimmed 3-7", 8, 9, "recovered 2"]);
  });

  test("with a redaction as the last entry", async () => {
    const { connection, reader } = await comeBack(2, { seq: 4, recovered: true });
    connection.tell(message(3));
    connection.tell(redaction(4, 1));
    assert.deepEqual(await reader.take(), [3, "redacted 1", "recovered 1"]);
  });

  for (const reason of ["epoch", "cleared"]) {
    test(`to another log (${reason}) continues there`, async () => {
      const { connection, reader, room } = await comeBack(5, { epoch: otherEpoch, seq: 3, recovered: false });
      connection.tell(gap(0, 3, reason, { epoch: otherEpoch }));
      connection.tell(message(4));
      assert.deepEqual(await reader.take(), [`gap ${reason}`, "recovered 0", 4]);
      assert.deepEqual(room.position, { epoch: otherEpoch, seq: 4 });
    });
  }

  test("is told of even if an announced gap does not come", async () => {
    const { connection, reader } = await comeBack(2, { seq: 2, recovered: false });
    connection.tell(message(3));
    assert.deepEqual(await reader.take(), ["recovered 0", 3]);
  });

  test("is interrupted in the middle of what was missed: each message comes once and is counted", async () => {
    const { broker, connection, reader } = await comeBack(2, { seq: 6, recovered: true });
    connection.tell(message(3));
    connection.tell(message(4));
    await connection.lose();
    await advance(200);
    const third = await broker.accept();
    const { since } = await third.acceptSubscribe({ seq: 7, recovered: true });
    assert.deepEqual(since, { epoch, seq: 4 });
    for (const seq of [5, 6, 7]) third.tell(message(seq));
    assert.deepEqual(await reader.take(), [3, 4, 5, 6, 7, "recovered 5"]);
  });

  test("is tried again where it is refused for now, and ends the room where it is refused for good", async () => {
    const { broker, connection, room } = await joined();
    const reader = new Reader(room);
    await connection.lose();
    await advance(100);
    const next = await broker.accept();
    next.refuse(next.take("subscribe"), "too_many_members", { retry_after_ms: 1000 });
    await advance(1000);
    next.refuse(next.take("subscribe"), "banned");
    assert.deepEqual(await reader.take(), ["ended banned"]);
    await reader.done;
    assert.equal(room.error.code, "banned");
  });
});

describe("presence", () => {
  const leia = { id: "leia", clientData: { name: "Leia" } };

  const list = { type: "observable_members", room: "lobby", data: [luke], count: 1 };

  test("is asked for, also on the next connection, unless the app does not want it", async () => {
    const { broker, client, connection } = await connected();
    client.join("lobby");
    client.join("attic", { presence: false });
    assert.deepEqual(connection.sent.map(({ presence }) => presence), [true, false]);
    for (const frame of connection.sent.splice(0)) connection.reply(frame, { epoch, seq: 0 });
    await connection.lose();
    await advance(100);
    await broker.accept();
    assert.deepEqual(broker.last.sent.map(({ presence }) => presence), [true, false]);
  });

  test("may come before the answer to the subscribe or after it", async () => {
    for (const isBefore of [true, false]) {
      const { client, connection } = await connected();
      const joining = client.join("lobby");
      if (isBefore) connection.tell(list);
      await connection.acceptSubscribe({ seq: 4, presence: true });
      if (!isBefore) connection.tell(list);
      connection.tell(message(5));
      const room = await joining;
      assert.deepEqual([room.showsMembers, room.members], [true, [luke]]);
      assert.deepEqual(await new Reader(room).take(), ["members luke", 5]);
    }
  });

  test("that belongs to a membership before is not taken for that of the next", async () => {
    const { client, connection, broker } = await connected();
    client.join("lobby").catch(() => {});
    connection.tell(list);
    await connection.lose();
    await advance(100);
    await broker.accept();
    await broker.last.acceptSubscribe({ presence: true });
    assert.equal(client.state, "connected");
    client.leave("lobby");
    broker.last.take("unsubscribe");
    const joining = client.join("lobby");
    broker.last.tell(list);
    await broker.last.acceptSubscribe({ presence: false });
    const room = await joining;
    assert.deepEqual([room.showsMembers, room.members, room.memberCount], [false, [], 0]);
  });

  for (const [reply, shows] of [[{ presence: true }, true], [{ presence: false }, false], [{}, false]]) {
    test(`is ${shows ? "" : "not "}shown where the answer has ${JSON.stringify(reply)}`, async () => {
      assert.equal((await joined({}, { reply })).room.showsMembers, shows);
    });
  }

  test("the list is kept, and changes are events", async () => {
    const { connection, room } = await joined();
    const reader = new Reader(room);
    connection.tell({ type: "observable_members", room: "lobby", data: [luke], count: 1 });
    connection.tell({ type: "observable_member_join", room: "lobby", data: leia });
    assert.deepEqual(room.members, [luke, leia]);
    connection.tell({ type: "observable_member_update", room: "lobby", data: { id: "luke" } });
    connection.tell({ type: "observable_member_leave", room: "lobby", data: leia });
    assert.deepEqual([room.members, room.memberCount], [[{ id: "luke" }], 1]);
    assert.deepEqual(await reader.take(), ["members luke", "joined leia", "updated luke", "left leia"]);
  });

  test("the list may come before the answer to the subscribe, with the newest member first", async () => {
    const { client, connection } = await connected();
    const joining = client.join("lobby");
    const frame = connection.take("subscribe");
    connection.tell({ type: "observable_members", room: "lobby", data: [leia, luke], count: 2 });
    connection.reply(frame, { epoch, seq: 0 });
    connection.tell(message(1));
    const room = await joining;
    assert.deepEqual(room.members, [luke, leia]);
    assert.deepEqual(await new Reader(room).take(), ["members luke,leia", 1]);
  });

  test("a room with too many members for a list has a count", async () => {
    const { connection, room } = await joined();
    connection.tell({ type: "observable_members", room: "lobby", data: [], count: 1500, truncated: true });
    connection.tell({ type: "observable_member_join", room: "lobby", data: leia });
    connection.tell({ type: "observable_member_leave", room: "lobby", data: luke });
    connection.tell({ type: "observable_member_leave", room: "lobby", data: leia });
    assert.deepEqual([room.memberCount, room.members], [1499, []]);
  });

  test("typing indicators are events of their own, and other ephemeral messages are not", async () => {
    const { connection, room } = await joined();
    const events = [];
    room.on("*", (event) => events.push(event));
    connection.tell(message(undefined, { typing: true }));
    connection.tell(message(undefined, { typing: "fast" }));
    connection.tell(message(1, { typing: true }));
    await settled();
    assert.deepEqual(events.map(({ type }) => type), ["typing", "message", "message"]);
    assert.deepEqual([events[0].member, events[0].isTyping], [luke, true]);
  });
});

describe("messages", () => {
  test("have their fields, and know their publisher", async () => {
    const { broker, client, connection, room } = await joined();
    const events = [];
    room.on("message", (event) => events.push(event));
    const { id } = message(1);
    connection.tell(message(1, { text: "hi" }));
    connection.tell(message(2, "mine", { sender: { id: "me" } }));
    connection.tell(message(3, "by HTTP", { sender: { id: "curl", kind: "rest" } }));
    connection.tell(message(4, null, { redacted: true }));
    await connection.lose();
    await advance(100);
    const next = await broker.accept({ client_id: "me again" });
    await next.acceptSubscribe({ seq: 5, recovered: true });
    next.tell(message(5, "mine, from before", { sender: { id: "me" } }));
    await settled();
    assert.equal(client.clientID, "me again");
    assert.deepEqual(events[0], {
      type: "message", id, seq: 1, position: { epoch, seq: 1 }, time: new Date(1), sender: luke, member: luke,
      value: { text: "hi" }, isOwn: false, isHistory: false, isMissed: false, isRedacted: false,
    });
    assert.deepEqual(events.map(({ isOwn }) => isOwn), [false, true, false, false, true]);
    assert.deepEqual([events[2].member, events[2].sender.kind], [undefined, "rest"]);
    assert.deepEqual([events[3].value, events[3].isRedacted], [null, true]);
  });

  test("a page of the history has its bounds", async () => {
    const { connection, room } = await joined();
    const asking = room.history({ before: 41, limit: 3 });
    const frame = connection.take("history");
    assert.deepEqual(frame, { type: "history", room: "lobby", before_seq: 41, limit: 3, callback: frame.callback });
    connection.reply(frame, { messages: [message(37), redaction(38, 37), message(39)], more: true });
    const page = await asking;
    assert.deepEqual([page.messages.map(({ seq }) => seq), page.from, page.to, page.hasMore], [[37, 39], 37, 39, true]);
    assert.equal(page.messages[0].isHistory, true);
    assert.deepEqual(page.redactions.map(({ type, seq, targetSeq }) => [type, seq, targetSeq]), [["redacted", 38, 37]]);
  });

  test("an empty page has none", async () => {
    const { connection, room } = await joined();
    const asking = room.history();
    connection.reply(connection.take("history"), { messages: [], more: false });
    assert.deepEqual(await asking, { messages: [], redactions: [], from: undefined, to: undefined, hasMore: false });
  });

  test("a query is repeated on the next connection, and times out while there is one", async () => {
    const { broker, connection, room } = await joined({}, { heartbeat: 3600 });
    const asking = assert.rejects(room.history(), { code: "timed_out" });
    connection.take("history");
    await connection.lose();
    await advance(100);
    await broker.accept();
    await broker.last.acceptSubscribe({ recovered: true });
    broker.last.take("history");
    await advance(30_000);
    await asking;
  });
});

describe("moderation", () => {
  test("an action is sent as it is given", async () => {
    const { connection, room } = await joined();
    const acting = room.moderate("mute", { user: "u7", seconds: 600, reason: "spam" });
    const frame = connection.take("moderate");
    const { callback, ...request } = frame;
    assert.deepEqual(request, {
      type: "moderate", room: "lobby", action: "mute", user: "u7", seconds: 600, reason: "spam",
    });
    connection.reply(frame);
    assert.equal(await acting, undefined);
  });

  test("what is set in the room comes as the broker has it", async () => {
    const { connection, room } = await joined();
    const asking = room.moderate("show", { target_seq: 42 });
    assert.equal(connection.sent.at(-1).target_seq, 42);
    const sanctions = [{ kind: "mute", user: "u7", author: "ops", created: 1 }];
    const state = { rules: { locked: true }, sanctions, total: 1, author: { user: "u7", client_id: "Kf3" } };
    connection.reply(connection.take("moderate"), state);
    assert.deepEqual(await asking, state);
  });

  test("all messages of somebody are redacted, however many requests that takes", async () => {
    const { connection, room } = await joined();
    const acting = room.moderate("ban", { user: "u7", seconds: 600, reason: "spam", redact: true });
    connection.reply(connection.take("moderate"), { count: 4096, after_seq: 9120 });
    await settled();
    const { callback, ...next } = connection.sent[0];
    assert.deepEqual(next, {
      type: "moderate", room: "lobby", action: "redact", user: "u7", reason: "spam", after_seq: 9120,
    });
    connection.reply(connection.take("moderate"), { count: 4 });
    assert.deepEqual(await acting, { count: 4100 });
  });

  test("an action is not repeated", async () => {
    const { broker, connection, room } = await joined();
    const acting = assert.rejects(room.moderate("clear"), { code: "connection_lost" });
    await connection.lose();
    await acting;
    await advance(100);
    assert.equal((await broker.accept()).sent.filter(({ type }) => type === "moderate").length, 0);
  });

  test("a ban is one sentence, the broker's", async () => {
    const { connection, room } = await joined();
    const reason = "you are banned from this room until 2025-11-22T23:30:00Z: spam";
    connection.tell({ type: "removed", room: "lobby", reason, code: "banned" });
    assert.deepEqual([room.error.code, room.error.message], ["banned", reason]);
  });

  test("a removed client is out, and stays out", async () => {
    const { broker, connection, room } = await joined();
    const reader = new Reader(room);
    connection.tell({ type: "removed", room: "lobby", reason: "spam", code: "kicked" });
    connection.tell(message(1));
    assert.deepEqual(await reader.take(), ["ended kicked"]);
    await connection.lose();
    await advance(100);
    assert.equal((await broker.accept()).sent.length, 0);
  });

  test("notices and mutes of the room are its events", async () => {
    const { client, connection, room } = await joined();
    const events = [];
    const elsewhere = [];
    room.on("*", (event) => events.push(event));
    client.on("notice", (event) => elsewhere.push(event));
    connection.tell({ type: "notice", room: "lobby", text: "slower", code: "slow_mode", seconds: 10, sender: luke });
    connection.tell({ type: "muted", room: "lobby", reason: "spam", until: 1763701200 });
    connection.tell({ type: "unmuted", room: "lobby" });
    await settled();
    assert.deepEqual(events, [
      { type: "notice", text: "slower", code: "slow_mode", seconds: 10, sender: luke },
      { type: "muted", reason: "spam", until: new Date(1763701200000) },
      { type: "unmuted", reason: undefined, until: undefined },
    ]);
    assert.deepEqual(elsewhere, []);
  });
});

describe("reading", () => {
  test("the first reader gets all since the join, a later one what comes then", async () => {
    const { connection, room } = await joined();
    connection.tell(message(1));
    await settled();
    const first = new Reader(room);
    const second = new Reader(room);
    connection.tell(message(2));
    assert.deepEqual([await first.take(), await second.take()], [[1, 2], [2]]);
  });

  test("listeners that are added together all get what came before", async () => {
    const { connection, room } = await joined();
    connection.tell(message(1));
    const seen = [];
    room.on("message", ({ seq }) => seen.push(["a", seq]));
    room.on("*", ({ seq }) => seen.push(["b", seq]));
    await settled();
    assert.deepEqual(seen, [["a", 1], ["b", 1]]);
  });

  test("leaving ends the loops", async () => {
    const { connection, room } = await joined();
    const seen = [];
    const loop = (async () => { for await (const event of room) seen.push(brief(event)); })();
    connection.tell(message(1));
    await settled();
    const leaving = room.leave();
    connection.reply(connection.take("unsubscribe"));
    await leaving;
    await loop;
    assert.deepEqual(seen, [1, "ended"]);
    await room.leave();
  });

  test("a loop over a room that has ended ends", async () => {
    const { client, room } = await joined();
    for (const end of ["first", "second"]) {
      client.close();
      const seen = [];
      for await (const event of room) seen.push(brief(event));
      assert.deepEqual(seen, ["ended closed"], end);
    }
  });

  test("two calls of next that wait get an event each", async () => {
    const { connection, room } = await joined();
    const iterator = room[Symbol.asyncIterator]();
    const waiting = [iterator.next(), iterator.next()];
    connection.tell(message(1));
    connection.tell(message(2));
    assert.deepEqual((await Promise.all(waiting)).map(({ value }) => value.seq), [1, 2]);
  });

  test("a loop that was broken keeps nothing", async () => {
    const { connection, room } = await joined();
    connection.tell(message(1));
    for await (const event of room) {
      assert.equal(event.seq, 1);
      break;
    }
    connection.tell(message(2));
    const reader = new Reader(room);
    connection.tell(message(3));
    assert.deepEqual(await reader.take(), [3]);
  });
});
