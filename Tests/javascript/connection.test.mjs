import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Roomline } from "../../Sources/RoomHTTP/Pages/roomline.js";
import { advance, resumeTime, setClock, settled, stopTime } from "./support/clock.mjs";
import { ScriptedBroker, connected, joined } from "./support/scripted.mjs";

beforeEach(stopTime);
afterEach(resumeTime);

describe("connecting", () => {
  test("the first request connects, with a handshake", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ channel: "shop", data: { name: "Luke" } });
    assert.equal(client.state, "idle");
    assert.equal(broker.connections.length, 0);
    client.join("lobby").catch(() => {});
    assert.equal(client.state, "connecting");
    broker.last.open();
    assert.deepEqual(broker.last.take("handshake"), {
      type: "handshake", channel: "shop", client_data: { name: "Luke" }, resumable: true, heartbeat: 5, callback: 0,
    });
  });

  for (const [url, expected] of [
    ["ws://broker.example", "ws://broker.example/v3/websocket"],
    ["wss://broker.example:8443/", "wss://broker.example:8443/v3/websocket"],
    ["http://broker.example:10001", "ws://broker.example:10001/v3/websocket"],
    ["https://broker.example/chat#top", "wss://broker.example/chat"],
  ]) {
    test(`${url} means ${expected}`, () => {
      const broker = new ScriptedBroker();
      broker.client({ url }).connect().catch(() => {});
      assert.equal(broker.last.url, expected);
    });
  }

  for (const [options, word] of [
    [{ url: "tcp://broker.example:10000" }, "ws://"],
    [{ url: "broker" }, "ws://127.0.0.1:10001"],
    [{}, "url"],
    [{ url: "ws://broker.example", transport: "websocket", WebSocket: undefined }, "WebSocket"],
    [{ url: "ws://broker.example", WebSocket: undefined, fetch: undefined }, "WebSocket"],
    [{ url: "ws://broker.example", transport: "events", fetch: undefined }, "fetch"],
    [{ url: "ws://broker.example", transport: "smoke" }, "transport"],
    [{ url: "ws://broker.example", WebSocket: class {}, token: 7 }, "token"],
    [{ url: "ws://broker.example", WebSocket: class {}, token: "\n" }, "token"],
    [{ url: "ws://broker.example", chanel: "shop" }, "there is no option chanel"],
    [{ url: "ws://broker.example", backoff: { bace: 1 } }, "there is no option backoff.bace"],
  ]) {
    test(`options ${JSON.stringify(options)} are refused with "${word}"`, () => {
      assert.throws(() => new Roomline({ WebSocket: class {}, ...options }), (error) => {
        return error.code === "invalid_option" && error.message.includes(word);
      });
    });
  }

  test("member data that is not JSON is refused", () => {
    assert.throws(() => new ScriptedBroker().client({ data: () => {} }), { code: "encoding_failed" });
  });

  test("connect resolves when the handshake is answered, and rejects when the attempt fails", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client();
    const first = assert.rejects(client.connect(), { code: "connection_failed", retryable: true });
    await broker.last.lose();
    await first;
    assert.equal(client.state, "waiting");
    const second = client.connect();
    await advance(0);
    await broker.accept();
    await second;
    assert.equal(client.clientID, "me");
  });

  test("an attempt that ends with an error event and no close event has failed, too", async () => {
    const broker = new ScriptedBroker();
    const connecting = assert.rejects(broker.client().connect(), { code: "connection_failed" });
    broker.last.socket.onerror({});
    await connecting;
    await advance(100);
    assert.equal(broker.connections.length, 2);
  });

  test("an attempt ends after connectTimeout, wherever it stands", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ connectTimeout: 1000 });
    const connecting = assert.rejects(client.connect(), { code: "timed_out" });
    broker.last.open();
    await advance(1000);
    await connecting;
    assert.equal(broker.last.isClosed, true);
    assert.equal(client.state, "waiting");
  });
});

describe("pauses", () => {
  test("they grow exponentially up to a limit, half of it where the random number is 0.5", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ backoff: { base: 200, cap: 2000 } });
    const pauses = [];
    client.on("state", ({ state, retryIn }) => { if (state === "waiting") pauses.push(retryIn); });
    client.connect().catch(() => {});
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await broker.last.lose();
      const before = broker.connections.length;
      await advance(pauses.at(-1) - 1);
      assert.equal(broker.connections.length, before);
      await advance(1);
      assert.equal(broker.connections.length, before + 1);
    }
    assert.deepEqual(pauses, [100, 200, 400, 800, 1000, 1000]);
  });

  for (const [lasted, pause] of [[4999, 400], [5000, 100]]) {
    test(`after two failures and a connection of ${lasted} ms the pause is ${pause} ms`, async () => {
      const broker = new ScriptedBroker();
      const client = broker.client({ heartbeat: 3600 });
      client.connect().catch(() => {});
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await broker.last.lose();
        await advance(1000);
      }
      await broker.accept();
      await advance(lasted);
      let retryIn;
      client.on("state", (event) => { retryIn = event.retryIn; });
      await broker.last.lose();
      assert.equal(retryIn, pause);
    });
  }

  for (const hours of [-5, 5]) {
    test(`a clock that is set by ${hours} hours does not make them longer or shorter`, async () => {
      const { broker, client, connection } = await connected();
      connection.tell({ type: "goodbye", code: "shutting_down", reason: "bye", reconnect: true, retry_after_ms: 5000 });
      setClock(hours * 3_600_000);
      const connecting = client.connect();
      await advance(4999);
      assert.equal(broker.connections.length, 1);
      await advance(1);
      await broker.accept();
      await connecting;
    });
  }

  test("connect ends a pause, but not one that the broker has asked for", async () => {
    const { broker, client, connection } = await connected();
    connection.tell({ type: "goodbye", code: "shutting_down", reason: "bye", reconnect: true, retry_after_ms: 5000 });
    await advance(2000);
    const connecting = client.connect();
    await advance(2999);
    assert.equal(broker.connections.length, 1);
    await advance(1);
    await broker.accept();
    await connecting;
  });
});

describe("the end of a connection", () => {
  test("a goodbye is an event, and its pause is kept", async () => {
    const { broker, client, connection } = await connected();
    const events = [];
    client.on("*", ({ type, state, code, retryIn }) => events.push([type, state ?? code, retryIn]));
    connection.tell({ type: "goodbye", code: "shutting_down", reason: "bye", reconnect: true, retry_after_ms: 1840 });
    assert.deepEqual(events, [["goodbye", "shutting_down", 1840], ["state", "waiting", 1840]]);
    await advance(1839);
    assert.equal(broker.connections.length, 1);
    await advance(1);
    assert.equal(broker.connections.length, 2);
  });

  for (const [name, end] of [
    ["a goodbye that says so", (connection) => {
      connection.tell({ type: "goodbye", code: "banned", reason: "spam", reconnect: false });
    }],
    ["a close code from 4500 on", (connection) => connection.lose(4504, "banned")],
  ]) {
    test(`${name} closes the client, and every call rejects with the error`, async () => {
      const { broker, client, connection, room } = await joined();
      const waiting = room.publish("hello");
      waiting.catch(() => {});
      await end(connection);
      assert.equal(client.state, "closed");
      const code = client.error.code;
      await assert.rejects(waiting, { code });
      await assert.rejects(client.connect(), { code });
      await assert.rejects(client.join("attic"), { code });
      await assert.rejects(room.publish("again"), { code });
      assert.equal(room.error.code, code);
      await advance(60_000);
      assert.equal(broker.connections.length, 1);
    });
  }

  test("the code of a final goodbye is the code of the error", async () => {
    const { client, connection } = await connected();
    connection.tell({ type: "goodbye", code: "banned", reason: "spam", reconnect: false });
    assert.deepEqual([client.error.code, client.error.message], ["banned", "spam"]);
  });

  for (const [code, isFinal] of [
    ["unknown_channel", true], ["banned", true], ["token_invalid", true],
    ["too_many_connections", false], ["rate_limited", false], ["internal", false],
  ]) {
    test(`a handshake that is refused with ${code} ${isFinal ? "closes the client" : "is tried again"}`, async () => {
      const broker = new ScriptedBroker();
      const client = broker.client();
      const connecting = client.connect();
      broker.last.open();
      broker.last.refuse(broker.last.take("handshake"), code, { client_id: "" });
      await assert.rejects(connecting, { code });
      assert.equal(client.state, isFinal ? "closed" : "waiting");
    });
  }

  for (const text of ["<html>", "", "null", '{"type":"publish","room":"lobby","seq":1}']) {
    test(`${text || "nothing"} instead of a frame ends the connection, not the client`, async () => {
      const { client, connection } = await joined();
      connection.tell(text);
      assert.deepEqual([client.state, client.error.code], ["waiting", "protocol_violation"]);
    });
  }

  test("what a lost connection still says is ignored", async () => {
    const { broker, client, connection } = await connected();
    await connection.lose();
    await advance(100);
    await broker.accept();
    connection.tell({ type: "goodbye", code: "banned", reason: "late", reconnect: false });
    connection.socket.onclose({ code: 1006, reason: "" });
    assert.equal(client.state, "connected");
  });

  test("close leaves the rooms, so that the others see it at once", async () => {
    const { client, connection, room } = await joined();
    client.close();
    assert.deepEqual(connection.take("unsubscribe"), { type: "unsubscribe", rooms: ["lobby"] });
    assert.equal(connection.isClosed, true);
    assert.deepEqual([client.state, client.error, room.error.code], ["closed", undefined, "closed"]);
  });

  test("a listener may close the client while it is told of an end", async () => {
    const { broker, client, connection } = await connected();
    client.on("state", ({ state }) => { if (state === "waiting") client.close(); });
    await connection.lose();
    await advance(60_000);
    assert.deepEqual([client.state, broker.connections.length], ["closed", 1]);
  });
});

describe("the session", () => {
  test("the next handshake resumes it, with the newest token and the newest data", async () => {
    const { broker, client, connection } = await connected({ data: { name: "Luke" } });
    const updating = client.update({ name: "Commander" });
    connection.reply(connection.take("update"));
    await updating;
    await connection.lose();
    await advance(100);
    broker.last.open();
    const handshake = await broker.last.welcome({ resumed: true, resume_token: "token-2" });
    assert.deepEqual([handshake.resume, handshake.client_data], ["token-1", { name: "Commander" }]);
    await broker.last.lose();
    await advance(1000);
    broker.last.open();
    assert.equal(broker.last.take("handshake").resume, "token-2");
  });

  test("state events tell of it", async () => {
    const { broker, client, connection } = await connected();
    const events = [];
    client.on("state", ({ state, resumed }) => events.push([state, resumed]));
    await connection.lose();
    await advance(100);
    await broker.accept({ resumed: true });
    assert.deepEqual(events, [["waiting", undefined], ["connecting", undefined], ["connected", true]]);
  });

  test("member data that changes during the handshake is sent after it", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ data: 1 });
    client.connect();
    broker.last.open();
    await client.update(2);
    assert.equal((await broker.last.welcome()).client_data, 1);
    assert.equal(broker.last.take("update").client_data, 2);
  });

  test("member data that the broker refuses is not in the next handshake", async () => {
    const { broker, client, connection } = await connected({ data: 1 });
    const updating = client.update("x");
    connection.refuse(connection.take("update"), "message_too_large");
    await assert.rejects(updating, { code: "message_too_large" });
    await connection.lose();
    await advance(100);
    broker.last.open();
    assert.equal(broker.last.take("handshake").client_data, 1);
  });
});

describe("the heartbeat", () => {
  test("a silent broker is asked, and given up after another interval", async () => {
    const { client, connection } = await connected({ heartbeat: 5 });
    await advance(4999);
    assert.equal(connection.sent.length, 0);
    await advance(1);
    connection.take("ping");
    await advance(4999);
    assert.equal(client.state, "connected");
    await advance(1);
    assert.deepEqual([client.state, client.error.code, connection.isClosed], ["waiting", "connection_lost", true]);
  });

  test("any frame is an answer", async () => {
    const { client, connection } = await connected({ heartbeat: 5 });
    for (let round = 0; round < 10; round += 1) {
      await advance(5000);
      connection.tell({ type: "pong" });
      await advance(4000);
    }
    assert.equal(client.state, "connected");
  });

  test("a ping is answered", async () => {
    const { connection } = await connected();
    connection.tell({ type: "ping" });
    assert.deepEqual(connection.take("pong"), { type: "pong" });
  });
});

describe("events of the client", () => {
  test("a loop begins with the present state and ends with the client", async () => {
    const { client, connection } = await connected();
    const seen = [];
    const loop = (async () => {
      for await (const event of client) seen.push(event.state ?? event.text ?? event.type);
    })();
    await settled();
    connection.tell({ type: "notice", text: "at noon", sender: { id: "ops", kind: "admin" } });
    connection.tell({ type: "muted", reason: "spam", until: 1763701200 });
    client.close();
    await loop;
    assert.deepEqual(seen, ["connected", "at noon", "muted", "closed"]);
  });

  test("the end of a mute is a date, and an error without a callback is an event", async () => {
    const { client, connection } = await connected();
    const events = [];
    client.on("*", (event) => events.push(event));
    connection.tell({ type: "muted", until: 1763701200 });
    connection.tell({ error: "a line was skipped", code: "line_too_long" });
    assert.equal(events[0].until.getTime(), 1763701200000);
    assert.equal(events[1].error.code, "line_too_long");
  });

  test("a removed listener gets nothing more", async () => {
    const { client, connection } = await connected();
    let count = 0;
    const off = client.on("notice", () => { count += 1; });
    connection.tell({ type: "notice", text: "one" });
    off();
    connection.tell({ type: "notice", text: "two" });
    assert.equal(count, 1);
  });
});
