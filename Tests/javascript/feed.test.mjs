import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { advance, resumeTime, settled, stopTime } from "./support/clock.mjs";
import { Reader, epoch, gap, joined, luke, message, otherEpoch, redaction } from "./support/scripted.mjs";

beforeEach(stopTime);
afterEach(resumeTime);

/** A room whose reader has not begun, with room for four events, and messages 1 to `seq`. */
async function full(seq, options = {}) {
  const scene = await joined({}, { buffer: { count: 4 }, heartbeat: 3600, ...options });
  for (let each = 1; each <= seq; each += 1) scene.connection.tell(message(each));
  return scene;
}

/** Answers the query for what was dropped. */
async function answer(connection, messages, more = false) {
  const frame = connection.take("history");
  connection.reply(frame, { messages, more });
  await settled();
  return frame.after_seq;
}

describe("a reader that is slower than the room", () => {
  test("gets what was dropped from the history, then goes on", async () => {
    const { connection, room } = await full(7);
    const reader = new Reader(room);
    assert.deepEqual(await reader.take(), [1, 2, 3, 4]);
    connection.tell(message(8));
    assert.equal(await answer(connection, [5, 6, 7, 8].map((seq) => message(seq))), 4);
    connection.tell(message(9));
    assert.deepEqual(await reader.take(), [5, 6, 7, 8, 9]);
    assert.equal(connection.sent.length, 0);
  });

  test("asks page by page", async () => {
    const { connection, room } = await full(8);
    const reader = new Reader(room);
    await reader.take();
    assert.equal(await answer(connection, [message(5), message(6)], true), 4);
    assert.equal(await answer(connection, [message(7), message(8)], true), 6);
    assert.deepEqual(await reader.take(), [5, 6, 7, 8]);
    assert.equal(connection.sent.length, 0);
  });

  test("asks for a page once, however many calls wait for it", async () => {
    const { connection, room } = await full(8);
    const iterator = room[Symbol.asyncIterator]();
    const seen = [];
    for (let each = 0; each < 4; each += 1) seen.push((await iterator.next()).value.seq);
    const waiting = [iterator.next(), iterator.next(), iterator.next(), iterator.next()];
    await answer(connection, [message(5), message(6)], true);
    await answer(connection, [message(7), message(8)]);
    assert.equal(connection.sent.length, 0);
    for (const { value } of await Promise.all(waiting)) seen.push(value.seq ?? value.type);
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("is told what the history does not have any more", async () => {
    const { connection, room } = await full(9);
    const reader = new Reader(room);
    await reader.take();
    await answer(connection, [message(7), message(8)]);
    assert.deepEqual(await reader.take(), ["gap trimmed 5-6", 7, 8, "gap trimmed 9-9"]);
  });

  test("does not get from the history what comes by itself", async () => {
    const { connection, room } = await full(6);
    const reader = new Reader(room);
    await reader.take();
    await answer(connection, [5, 6, 7].map((seq) => message(seq)));
    connection.tell(message(7));
    assert.deepEqual(await reader.take(), [5, 6, 7]);
  });

  for (const [code, reason] of [["history_off", "slow"], ["permission_denied", "denied"]]) {
    test(`is told of a gap where the history answers ${code}`, async () => {
      const { connection, room } = await full(6);
      const reader = new Reader(room);
      await reader.take();
      connection.refuse(connection.take("history"), code);
      await settled();
      connection.tell(message(7));
      assert.deepEqual(await reader.take(), [`gap ${reason} 5-6`, 7]);
    });
  }

  test("asks again where the store is not there for the moment", async () => {
    const { connection, room } = await full(5);
    const reader = new Reader(room);
    await reader.take();
    connection.refuse(connection.take("history"), "storage_unavailable", { retry_after_ms: 500 });
    await settled();
    await advance(500);
    await answer(connection, [message(5)]);
    assert.deepEqual(await reader.take(), [5]);
  });

  test("asks again on the next connection, when it is in the room again", async () => {
    const { broker, connection, room } = await full(6);
    const reader = new Reader(room);
    await reader.take();
    connection.take("history");
    await connection.lose();
    await advance(100);
    const next = await broker.accept();
    assert.equal(next.sent.length, 1);
    await next.acceptSubscribe({ seq: 6, recovered: true });
    await answer(next, [message(5), message(6)]);
    assert.deepEqual(await reader.take(), ["recovered 0", 5, 6]);
  });

  test("is told of a gap where the log has been replaced in the meantime", async () => {
    const { connection, room } = await full(6);
    connection.tell(gap(0, 0, "epoch", { epoch: otherEpoch }));
    connection.tell(message(1));
    const reader = new Reader(room);
    assert.deepEqual(await reader.take(), [1, 2, 3, 4, "gap epoch 5-6", "gap epoch"]);
    await answer(connection, [message(1)]);
    assert.deepEqual(await reader.take(), [1]);
  });

  test("finds a gap of the broker within what was dropped by the fetch", async () => {
    const { connection, room } = await full(5);
    connection.tell(gap(6, 8));
    const reader = new Reader(room);
    await reader.take();
    await answer(connection, [message(5)]);
    assert.deepEqual(await reader.take(), [5, "gap trimmed 6-8"]);
  });

  test("gets a new list of members instead of the changes", async () => {
    const { connection, room } = await full(5);
    connection.tell({ type: "observable_members", room: "lobby", data: [luke], count: 1 });
    connection.tell({ type: "observable_member_join", room: "lobby", data: { id: "leia" } });
    const reader = new Reader(room);
    await reader.take();
    await answer(connection, [message(5)]);
    assert.deepEqual(await reader.take(), [5, "members luke,leia"]);
  });

  test("does not see what was redacted or cleared before it read it", async () => {
    const { connection, room } = await joined();
    connection.tell(message(1));
    connection.tell(message(2));
    connection.tell(redaction(3, 2));
    const events = [];
    room.on("*", (event) => events.push(event));
    await settled();
    assert.deepEqual(events.map(({ type, value, isRedacted }) => [type, value, isRedacted]), [
      ["message", "message 1", false], ["message", null, true], ["redacted", undefined, undefined],
    ]);
  });

  test("forgets unread messages of a room that is cleared, also those that it would fetch", async () => {
    const { connection, room } = await full(6);
    connection.tell({ type: "observable_member_join", room: "lobby", data: luke });
    connection.tell({ type: "room_cleared", room: "lobby", epoch: otherEpoch, seq: 0 });
    connection.tell(message(1));
    const reader = new Reader(room);
    assert.deepEqual(await reader.take(), ["cleared", 1, "members luke"]);
    assert.equal(connection.sent.length, 0);
  });

  test("is told of what it will not get when the room ends", async () => {
    const { client, room } = await full(6);
    client.close();
    const reader = new Reader(room);
    assert.deepEqual(await reader.take(), [1, 2, 3, 4, "gap slow 5-6", "ended closed"]);
  });

  test("is bounded by bytes, too, and gets a message that is larger than the whole buffer", async () => {
    const { connection, room } = await full(0, { buffer: { count: 10, bytes: 1000 } });
    connection.tell(message(1, "x".repeat(2000)));
    connection.tell(message(2));
    const reader = new Reader(room);
    assert.deepEqual(await reader.take(), [1]);
    await answer(connection, [message(2)]);
    assert.deepEqual(await reader.take(), [2]);
  });

  test("does not slow down another reader of the same room", async () => {
    const { connection, room } = await full(0);
    const slow = room[Symbol.asyncIterator]();
    const reader = new Reader(room);
    for (let seq = 1; seq <= 20; seq += 1) {
      connection.tell(message(seq));
      assert.deepEqual(await reader.take(), [seq]);
    }
    await slow.return();
    assert.deepEqual(room.position, { epoch, seq: 20 });
  });
});
