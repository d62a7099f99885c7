// The client by event streams: which transport it takes, and a whole life against the real broker.
import assert from "node:assert/strict";
import net from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Roomline } from "../../Sources/RoomHTTP/Pages/roomline.js";
import { BrokerProcess } from "./support/broker.mjs";
import { advance, resumeTime, settled, stopTime } from "./support/clock.mjs";
import { ScriptedBroker } from "./support/scripted.mjs";
import { WebSocket, fetch } from "./support/transport.mjs";

/** A fetch that a test plays: each call waits until the test answers it. */
class ScriptedFetch {
  calls = [];

  fetch = (url, options) => new Promise((resolve, reject) => {
    options.signal.addEventListener("abort", () => reject(new Error("aborted")));
    this.calls.push({ url, options, resolve, reject });
  });

  /** Answers the newest call with a stream; the test writes into it. */
  async stream() {
    const call = this.calls.at(-1);
    let controller;
    const body = new ReadableStream({ start(each) { controller = each; } });
    call.resolve(new Response(body));
    await settled();
    return {
      write: async (data) => {
        controller.enqueue(typeof data === "string" ? new TextEncoder().encode(data) : data);
        for (let turn = 0; turn < 5; turn += 1) await settled();
      },
      end: async () => {
        controller.close();
        for (let turn = 0; turn < 5; turn += 1) await settled();
      },
    };
  }

  /** The lines of the newest call, which is a POST; it is answered. */
  async takePost(status = 204) {
    const { options, resolve } = this.calls.at(-1);
    assert.equal(options.method, "POST");
    assert.equal(options.headers["Roomline-Session"], "secret");
    resolve(new Response(null, { status }));
    for (let turn = 0; turn < 5; turn += 1) await settled();
    return options.body.split("\n").map((line) => JSON.parse(line));
  }
}

const session = 'event: session\ndata: {"session":"secret"}\n\n';

describe("the link", () => {
  beforeEach(stopTime);
  afterEach(resumeTime);

  for (const [url, expected] of [
    ["ws://broker.example", "http://broker.example/v3/events"],
    ["wss://broker.example:8443/app/v3/websocket", "https://broker.example:8443/app/v3/events"],
    ["https://broker.example/v3/websocket?a=b", "https://broker.example/v3/events"],
  ]) {
    test(`for ${url} it asks for ${expected}`, () => {
      const net = new ScriptedFetch();
      new Roomline({ url, transport: "events", fetch: net.fetch }).connect().catch(() => {});
      assert.equal(net.calls[0].url, expected);
      assert.equal(net.calls[0].options.credentials, "omit");
    });
  }

  async function connected() {
    const net = new ScriptedFetch();
    const client = new Roomline({ url: "ws://broker.example", transport: "events", fetch: net.fetch });
    const connecting = client.connect();
    const stream = await net.stream();
    await stream.write(session);
    const [handshake] = await net.takePost();
    assert.equal(handshake.type, "handshake");
    await stream.write('data: {"callback":0,"client_id":"me"}\n\n');
    await connecting;
    return { net, client, stream };
  }

  test("events may be cut anywhere, and comments and marks are none", async () => {
    const { client, stream } = await connected();
    const seen = [];
    client.on("notice", ({ text }) => seen.push(text));
    const text = 'id: 5f3c9a1e7b240d86:1\ndata: {"type":"notice","text":"Zoë"}\n\n: ping\n\nid: x:1\n\nretry: 7\n\n';
    for (const byte of new TextEncoder().encode(text)) await stream.write(Uint8Array.of(byte));
    await stream.write(text);
    assert.deepEqual(seen, ["Zoë", "Zoë"]);
  });

  test("there is one POST at a time, with all frames that wait", async () => {
    const { net, client } = await connected();
    const before = net.calls.length;
    for (let number = 0; number < 5; number += 1) client.publish("room", number).catch(() => {});
    await settled();
    assert.equal(net.calls.length, before + 1);
    assert.deepEqual((await net.takePost()).map(({ message }) => message), [0]);
    assert.equal(net.calls.length, before + 2);
    assert.deepEqual((await net.takePost()).map(({ message }) => message), [1, 2, 3, 4]);
    client.close();
  });

  for (const status of [404, 500, 429]) {
    test(`a POST that is answered with ${status} ends the connection`, async () => {
      const { net, client } = await connected();
      client.publish("room", 1).catch(() => {});
      await settled();
      await net.takePost(status);
      assert.equal(client.state, "waiting");
      assert.equal(client.error.code, "connection_lost");
      client.close();
    });
  }

  test("the end of the stream is the end of the connection", async () => {
    const { client, stream } = await connected();
    await stream.end();
    assert.equal(client.state, "waiting");
    client.close();
  });
});

describe("which transport", () => {
  beforeEach(stopTime);
  afterEach(resumeTime);

  test("after two failures every other attempt is by events, until one is accepted", async () => {
    const broker = new ScriptedBroker();
    const net = new ScriptedFetch();
    const client = broker.client({ transport: "auto", fetch: net.fetch, backoff: { base: 10, cap: 10 } });
    client.connect().catch(() => {});
    await broker.last.lose();
    await advance(10);
    await broker.last.lose();
    await advance(10);
    assert.deepEqual([broker.connections.length, net.calls.length], [2, 1]);
    net.calls[0].reject(new Error("no"));
    await settled();
    await advance(10);
    assert.deepEqual([broker.connections.length, net.calls.length], [3, 1]);
    await broker.last.lose();
    await advance(10);
    const stream = await net.stream();
    await stream.write(session);
    await net.takePost();
    await stream.write('data: {"callback":0,"client_id":"me"}\n\n');
    assert.equal(client.state, "connected");
    // What has worked comes first from then on.
    await stream.end();
    await advance(10);
    assert.deepEqual([broker.connections.length, net.calls.at(-1).options.method], [3, undefined]);
    client.close();
  });

  test("without a WebSocket class it is events at once", () => {
    const net = new ScriptedFetch();
    new Roomline({ url: "ws://broker.example", WebSocket: undefined, fetch: net.fetch }).connect().catch(() => {});
    assert.equal(net.calls.length, 1);
  });
});

/** A proxy that answers no upgrade. */
async function withoutWebSocket(port) {
  const server = net.createServer((client) => {
    client.on("error", () => {});
    client.once("data", (head) => {
      if (/upgrade: websocket/i.test(head)) return client.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      const broker = net.connect(port, "127.0.0.1");
      broker.on("error", () => {});
      broker.write(head);
      client.pipe(broker).pipe(client);
      client.once("close", () => broker.destroy());
      broker.once("close", () => client.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

test("a whole life behind a proxy that breaks WebSocket", { timeout: 60_000 }, async () => {
  const broker = await BrokerProcess.start("--channel", "default,history=1000");
  const proxy = await withoutWebSocket(broker.httpPort);
  const options = { WebSocket, fetch, backoff: { base: 5, cap: 20 } };
  const ann = new Roomline({ ...options, url: `ws://127.0.0.1:${proxy.address().port}`, data: { name: "Ann" } });
  const bob = new Roomline({ ...options, url: `ws://127.0.0.1:${broker.httpPort}`, data: { name: "Bob" } });
  try {
    const room = await ann.join("observable-lobby");
    const other = await bob.join("observable-lobby");
    for (let number = 0; number < 20; number += 1) await (number % 2 ? ann : bob).publish("observable-lobby", number);
    const seen = [];
    for await (const event of room) {
      if (event.type === "message") seen.push([event.value, event.isOwn]);
      if (seen.length === 20) break;
    }
    assert.deepEqual(seen, Array.from({ length: 20 }, (_, number) => [number, number % 2 === 1]));
    assert.deepEqual(other.members.map(({ clientData }) => clientData.name).sort(), ["Ann", "Bob"]);
    assert.equal((await room.history({ limit: 5 })).messages.length, 5);
    const left = new Promise((resolve) => other.on("left", resolve));
    ann.close();
    // At once, and not after the grace period: what was sent before the close goes out.
    await left;
  } finally {
    ann.close();
    bob.close();
    proxy.close();
    await broker.close();
    assert.deepEqual(broker.alarms, []);
  }
});
