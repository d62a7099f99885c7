import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { advance, resumeTime, setClock, settled, stopTime } from "./support/clock.mjs";
import { ScriptedBroker, connected, joined } from "./support/scripted.mjs";

beforeEach(stopTime);
afterEach(resumeTime);

const receipt = { id: "019aa3c5-7b00-7004-8f21-6c0d5e4b3a04", seq: 42 };

/** Loses the connection and makes the next one. */
async function reconnect(broker) {
  await broker.last.lose();
  await advance(20_000);
  return broker.accept();
}

describe("a publish", () => {
  test("resolves with its receipt", async () => {
    const { client, connection } = await connected();
    const publishing = client.publish("lobby", { text: "hello" });
    const frame = connection.take("publish");
    assert.match(frame.message_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual([frame.room, frame.message], ["lobby", { text: "hello" }]);
    connection.reply(frame, receipt);
    assert.deepEqual(await publishing, { ...receipt, time: new Date(0x019aa3c57b00), isDuplicate: false });
  });

  test("is sent again after each reconnection, in the same order and with the same ids", async () => {
    const { broker, client, connection } = await connected();
    const id = "3d6c0a52-6b0e-4c5e-9a53-0a3f1a2b4c5d";
    const publishing = [client.publish("lobby", 1), client.publish("attic", 2, { id })];
    const sent = connection.sent.splice(0);
    await reconnect(broker);
    assert.deepEqual(broker.last.sent.splice(0), sent);
    const third = await reconnect(broker);
    assert.deepEqual(third.sent, sent);
    for (const frame of sent) third.reply(frame, { ...receipt, duplicate: true });
    for (const each of publishing) assert.equal((await each).isDuplicate, true);
    assert.equal((await reconnect(broker)).sent.length, 0);
  });

  test("waits for the connection where there is none", async () => {
    const broker = new ScriptedBroker();
    const publishing = broker.client().publish("lobby", "hello");
    const connection = await broker.accept();
    connection.reply(connection.take("publish"), receipt);
    assert.equal((await publishing).seq, 42);
  });

  test("rejects after publishTimeout, connected or not", async () => {
    const { broker, client } = await connected({ publishTimeout: 1000, heartbeat: 3600 });
    const first = assert.rejects(client.publish("lobby", 1), { code: "timed_out" });
    await advance(1000);
    await first;
    await broker.last.lose();
    const second = assert.rejects(client.publish("lobby", 2), { code: "timed_out" });
    await advance(1000);
    await second;
    assert.equal((await reconnect(broker)).sent.length, 0);
  });

  test("a temporary refusal is tried again, not before the broker allows it", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    const publishing = client.publish("lobby", "hello");
    const frame = connection.take("publish");
    connection.refuse(frame, "rate_limited", { retry_after_ms: 3000 });
    await advance(2999);
    assert.equal(connection.sent.length, 0);
    await advance(1);
    assert.deepEqual(connection.take("publish"), frame);
    connection.refuse(frame, "storage_unavailable");
    await advance(200); // the second pause of 400 ms at most
    assert.deepEqual(connection.take("publish"), frame);
    connection.reply(frame, receipt);
    assert.equal((await publishing).seq, 42);
  });

  test("a publish that slow mode holds waits as long as publishTimeout allows, whatever the clock is set to", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    const publishing = client.publish("lobby", "hello");
    setClock(5 * 3_600_000);
    connection.refuse(connection.take("publish"), "rate_limited", { retry_after_ms: 60_000 });
    await advance(60_000);
    connection.reply(connection.take("publish"), receipt);
    assert.equal((await publishing).seq, 42);
  });

  test("a temporary refusal that would end after publishTimeout is final", async () => {
    const { client, connection } = await connected({ publishTimeout: 1000 });
    const publishing = client.publish("lobby", "hello");
    connection.refuse(connection.take("publish"), "rate_limited", { retry_after_ms: 3000 });
    await assert.rejects(publishing, { code: "rate_limited", retryIn: 3000 });
  });

  test("a temporary refusal is told, with the pause", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    const told = [];
    const publishing = client.publish("lobby", "hello", { onDelay: ({ code }, pause) => told.push([code, pause]) });
    connection.refuse(connection.take("publish"), "rate_limited", { retry_after_ms: 3000 });
    await settled();
    assert.deepEqual(told, [["rate_limited", 3000]]);
    await advance(3000);
    connection.reply(connection.take("publish"), receipt);
    await publishing;
    assert.equal(told.length, 1);
  });

  test("what waits for slow mode is sent when it ends, in its order, and nothing else", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    for (const [room, value] of [["lobby", 1], ["lobby", 2], ["attic", 3], ["lobby", 4]]) client.publish(room, value).catch(() => {});
    const [one, two, elsewhere, unstored] = ["publish", "publish", "publish", "publish"].map((type) => connection.take(type));
    for (const frame of [one, two, elsewhere]) connection.refuse(frame, "rate_limited", { retry_after_ms: 60_000 });
    connection.refuse(unstored, "storage_unavailable", { retry_after_ms: 60_000 });
    const sender = { id: "leia" };
    connection.tell({ type: "notice", room: "lobby", text: "open", code: "room_unlocked", sender });
    assert.deepEqual(connection.sent, []);
    connection.tell({ type: "notice", room: "lobby", text: "off", code: "slow_mode", seconds: 0, sender });
    assert.deepEqual(connection.sent, [one]);
    connection.reply(connection.take("publish"), receipt);
    assert.deepEqual(connection.sent, [two]);
    connection.reply(connection.take("publish"), receipt);
    await advance(59_999);
    assert.deepEqual(connection.sent, []);
    await advance(1);
    assert.deepEqual(connection.sent, [elsewhere, unstored]);
    client.close();
  });

  test("none overtakes one of its room that was refused for a time", async () => {
    const { client, connection } = await connected({ heartbeat: 3600 });
    const publish = (room, value) => client.publish(room, value).catch(() => {});
    for (const value of [1, 2]) publish("lobby", value);
    const [one, two] = [connection.take("publish"), connection.take("publish")];
    connection.refuse(one, "rate_limited", { retry_after_ms: 3000 });
    connection.refuse(two, "rate_limited", { retry_after_ms: 1000 });
    publish("lobby", 3);
    publish("attic", 4);
    assert.deepEqual(connection.take("publish").message, 4);
    await advance(2999);
    assert.deepEqual(connection.sent, []);
    await advance(1);
    assert.deepEqual(connection.sent, [one]);
    connection.reply(connection.take("publish"), receipt);
    assert.deepEqual(connection.sent.map(({ message }) => message), [2, 3]);
    for (let left = 2; left > 0; left -= 1) connection.reply(connection.take("publish"), receipt);
    // nothing waits any more: all go at once again
    for (const value of [5, 6]) publish("lobby", value);
    assert.deepEqual(connection.sent.map(({ message }) => message), [5, 6]);
    client.close();
  });

  test("a publish that waits after a refusal is sent once on the next connection", async () => {
    const { broker, client, connection } = await connected();
    client.publish("lobby", "hello");
    connection.refuse(connection.take("publish"), "rate_limited", { retry_after_ms: 30_000 });
    const next = await reconnect(broker);
    next.take("publish");
    await advance(4000);
    assert.equal(next.sent.length, 0);
  });

  test("a final refusal rejects", async () => {
    const { client, connection } = await connected();
    const publishing = client.publish("lobby", "hello");
    connection.refuse(connection.take("publish"), "muted");
    await assert.rejects(publishing, { code: "muted", message: "refused: muted", retryable: false });
  });

  for (const [outbox, values] of [[{ count: 2 }, ["a", "b", "c"]], [{ bytes: 9 }, ["abc", "d", "ef"]]]) {
    test(`an outbox of ${JSON.stringify(outbox)} takes no third message, until one is acknowledged`, async () => {
      const { client, connection } = await connected({ outbox });
      const first = client.publish("lobby", values[0]);
      client.publish("lobby", values[1]);
      await assert.rejects(client.publish("lobby", values[2]), { code: "outbox_full", retryable: true });
      connection.reply(connection.take("publish"), receipt);
      await first;
      client.publish("lobby", values[2]);
      await settled();
      assert.deepEqual(connection.sent.map(({ message }) => message), [values[1], values[2]]);
    });
  }

  test("an empty outbox takes a message that is larger than its limit", async () => {
    const { client, connection } = await connected({ outbox: { bytes: 1 } });
    client.publish("lobby", "hello");
    connection.take("publish");
  });

  const cycle = {};
  cycle.self = cycle;
  const unfit = [["undefined", undefined], ["a function", () => {}], ["a bigint", 1n], ["a cycle", cycle]];
  for (const [name, value] of unfit) {
    test(`${name} cannot be published`, async () => {
      const { client, connection } = await connected();
      await assert.rejects(client.publish("lobby", value), { code: "encoding_failed" });
      assert.equal(connection.sent.length, 0);
    });
  }

  test("a frame that is too long for the broker is not sent, and leaves the outbox", async () => {
    const { client, connection } = await connected({ outbox: { count: 1 }, longestLine: 1000 });
    await assert.rejects(client.publish("lobby", "ü".repeat(500)), { code: "message_too_large" });
    client.publish("lobby", "ü".repeat(400));
    connection.take("publish");
    assert.equal(connection.sent.length, 0);
  });

  test("close rejects what waits", async () => {
    const { client } = await connected();
    const publishing = client.publish("lobby", "hello");
    client.close();
    await assert.rejects(publishing, { code: "closed" });
  });
});

describe("an ephemeral publish", () => {
  test("is sent once, and rejects when the connection ends", async () => {
    const { broker, client, connection } = await connected();
    const publishing = assert.rejects(client.publish("lobby", "now", { ephemeral: true }), { code: "connection_lost" });
    const frame = connection.take("publish");
    assert.deepEqual([frame.ephemeral, frame.message_id], [true, undefined]);
    await broker.last.lose();
    await publishing;
    assert.equal((await reconnect(broker)).sent.length, 0);
  });

  test("rejects where there is no connection", async () => {
    const { broker, client } = await connected();
    await broker.last.lose();
    await assert.rejects(client.publish("lobby", "now", { ephemeral: true }), { code: "not_connected" });
  });
});

describe("typing", () => {
  test("is told once in three seconds, taken back once, and forgotten by a message", async () => {
    const { connection, room } = await joined();
    const told = () => connection.sent.splice(0).map(({ message }) => message);
    room.typing();
    room.typing();
    assert.deepEqual(told(), [{ typing: true }]);
    await advance(3000);
    room.typing();
    room.typing(false);
    room.typing(false);
    assert.deepEqual(told(), [{ typing: true }, { typing: false }]);
    room.typing();
    room.publish("hello");
    room.typing();
    assert.deepEqual(told(), [{ typing: true }, "hello", { typing: true }]);
  });

  test("is told again after three seconds, also where the clock was set back", async () => {
    const { connection, room } = await joined();
    room.typing();
    setClock(-5 * 3_600_000);
    await advance(3000);
    room.typing();
    assert.deepEqual(connection.sent.map(({ message }) => message), [{ typing: true }, { typing: true }]);
  });

  test("is not told where there is no connection", async () => {
    const { broker, room } = await joined();
    await broker.last.lose();
    room.typing();
    await advance(100);
    assert.equal((await broker.accept()).sent.filter(({ type }) => type === "publish").length, 0);
  });
});
