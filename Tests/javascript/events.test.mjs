// The client by event streams: which transport it takes, and a whole life against the real broker.
import assert from "node:assert/strict";
import net from "node:net";
import { once } from "node:events";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Roomline } from "../../Sources/RoomHTTP/Pages/roomline.js";
import { BrokerProcess } from "./support/broker.mjs";
import { advance, resumeTime, settled, stopTime } from "./support/clock.mjs";
import { HostileProxy } from "./support/proxy.mjs";
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

  /** A client whose two first attempts have failed; the third is by events, and is open. */
  async function fallenBack() {
    const broker = new ScriptedBroker();
    const net = new ScriptedFetch();
    const client = broker.client({ transport: "auto", fetch: net.fetch, backoff: { base: 10, cap: 10 }, heartbeat: 3600 });
    client.connect().catch(() => {});
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await broker.last.lose();
      await advance(10);
    }
    assert.deepEqual([broker.connections.length, net.calls.length], [2, 1]);
    const stream = await net.stream();
    await stream.write(session);
    return { broker, net, client, stream };
  }

  /** The same where WebSocket fails when events work. */
  async function connectedByEvents() {
    const { broker, net, client, stream } = await fallenBack();
    await broker.last.lose();
    await net.takePost();
    await stream.write('data: {"callback":0,"client_id":"me"}\n\n');
    assert.equal(client.state, "connected");
    return { broker, net, client, stream, tried: broker.connections.length };
  }

  /** WebSocket works in the attempt that is on its way. */
  async function work(broker) {
    broker.last.open();
    broker.last.take("ping");
    broker.last.tell({ error: "the handshake comes first", code: "not_connected" });
    await settled();
  }

  test("after two failures every other attempt is by events", async () => {
    const broker = new ScriptedBroker();
    const net = new ScriptedFetch();
    const client = broker.client({ transport: "auto", fetch: net.fetch, backoff: { base: 10, cap: 10 } });
    client.connect().catch(() => {});
    const attempts = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { length } = net.calls;
      attempts.push(length > attempts.filter((name) => name === "events").length ? "events" : "websocket");
      if (attempts.at(-1) === "events") net.calls.at(-1).reject(new Error("refused"));
      else await broker.last.lose();
      await settled();
      await advance(10);
    }
    assert.deepEqual(attempts, ["websocket", "websocket", "events", "websocket", "events", "websocket"]);
    client.close();
  });

  test("a broker that was away is no evidence against WebSocket", async () => {
    const { broker, net, client } = await fallenBack();
    // Before anybody greets by events, WebSocket has shown that it works again.
    assert.deepEqual([broker.connections.length, net.calls.length, client.state], [3, 1, "connecting"]);
    await work(broker);
    assert.equal(broker.connections[2].isClosed, true);
    assert.equal(net.calls[0].options.signal.aborted, true);
    await broker.accept();
    assert.deepEqual([broker.connections.length, net.calls.length, client.state], [4, 1, "connected"]);
    client.close();
  });

  for (const [name, fail] of [
    ["is refused", (broker) => broker.last.lose()],
    ["does not open", () => advance(3000)],
    ["opens and brings nothing", (broker) => { broker.last.open(); return advance(3000); }],
  ]) {
    test(`where events work and WebSocket ${name}, it is events, also on the next connection`, async () => {
      const { broker, net, client, stream } = await fallenBack();
      await fail(broker);
      await net.takePost();
      await stream.write('data: {"callback":0,"client_id":"me"}\n\n');
      assert.equal(client.state, "connected");
      const { length } = broker.connections;
      await stream.end();
      await advance(10);
      assert.deepEqual([broker.connections.length, net.calls.at(-1).options.method], [length, undefined]);
      client.close();
    });
  }

  test("WebSocket is looked for every five minutes, and the session goes on there", async () => {
    const { broker, client, tried } = await connectedByEvents();
    await advance(5 * 60_000 - 1);
    assert.equal(broker.connections.length, tried);
    await advance(1);
    await broker.last.lose();
    assert.equal(client.state, "connected");
    await advance(5 * 60_000);
    const states = [];
    client.on("state", ({ state }) => states.push(state));
    await work(broker);
    await broker.accept();
    assert.deepEqual(states, ["connecting", "connected"]);
    client.close();
  });

  test("what cannot be repeated is answered before the change", async () => {
    const { broker, net, client, stream, tried } = await connectedByEvents();
    await advance(5 * 60_000 - 10);
    const publishing = client.publish("lobby", "now", { ephemeral: true });
    await settled();
    await advance(10);
    await work(broker);
    assert.equal(client.state, "connected");
    await net.takePost();
    await stream.write('data: {"callback":1,"id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04"}\n\n');
    await publishing;
    await advance(1000);
    await work(broker);
    assert.deepEqual([broker.connections.length, client.state], [tried + 3, "connecting"]);
    client.close();
  });

  test("without a WebSocket class it is events at once", () => {
    const net = new ScriptedFetch();
    new Roomline({ url: "ws://broker.example", WebSocket: undefined, fetch: net.fetch }).connect().catch(() => {});
    assert.equal(net.calls.length, 1);
  });
});

describe("a page", () => {
  beforeEach(stopTime);
  afterEach(() => {
    resumeTime();
    for (const name of ["document", "addEventListener"]) delete globalThis[name];
  });

  /** The browser around a client; `see` says whether somebody looks at the page. */
  function page() {
    const window = new EventTarget();
    globalThis.addEventListener = window.addEventListener.bind(window);
    globalThis.document = Object.assign(new EventTarget(), { visibilityState: "hidden" });
    const see = (isSeen) => {
      globalThis.document.visibilityState = isSeen ? "visible" : "hidden";
      globalThis.document.dispatchEvent(new Event("visibilitychange"));
    };
    return { window, see };
  }

  /** A client that waits for its next attempt, after so many that have failed. */
  async function waiting(count) {
    const broker = new ScriptedBroker();
    const client = broker.client();
    client.connect().catch(() => {});
    let retryIn;
    client.on("state", (event) => { retryIn = event.retryIn ?? retryIn; });
    for (let attempt = 0; attempt < count; attempt += 1) {
      await advance(retryIn ?? 0);
      await broker.last.lose();
    }
    return { broker, client, pause: () => retryIn };
  }

  test("that somebody looks at waits five seconds at most", async () => {
    const { see } = page();
    assert.equal((await waiting(9)).pause(), 10_000);
    see(true);
    assert.equal((await waiting(9)).pause(), 2500);
  });

  for (const [name, happen] of [
    ["somebody looks at it", ({ see }) => see(true)],
    ["the network is back", ({ window }) => window.dispatchEvent(new Event("online"))],
  ]) {
    test(`tries at once when ${name}, until the client is closed`, async () => {
      const around = page();
      const { broker, client } = await waiting(9);
      happen(around);
      await advance(0);
      assert.equal(broker.connections.length, 10);
      client.close();
      happen(around);
      await advance(20_000);
      assert.equal(broker.connections.length, 10);
    });
  }

  test("on another network looks for WebSocket at once", async () => {
    const { window } = page();
    const broker = new ScriptedBroker();
    const net = new ScriptedFetch();
    const client = broker.client({ transport: "auto", fetch: net.fetch, heartbeat: 3600 });
    client.connect().catch(() => {});
    for (const pause of [100, 200]) {
      await broker.last.lose();
      await advance(pause);
    }
    const stream = await net.stream();
    await stream.write(session);
    await broker.last.lose();
    await net.takePost();
    await stream.write('data: {"callback":0,"client_id":"me"}\n\n');
    const { length } = broker.connections;
    window.dispatchEvent(new Event("online"));
    await advance(0);
    assert.deepEqual([broker.connections.length, client.state], [length + 1, "connected"]);
    client.close();
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

test("after a broker was away the client is on WebSocket again", { timeout: 60_000 }, async () => {
  const broker = await BrokerProcess.start();
  const proxy = await HostileProxy.start();
  const sockets = [];
  class Counted extends WebSocket {
    constructor(url) {
      super(url);
      sockets.push(this);
    }
  }
  const client = new Roomline({
    url: `ws://127.0.0.1:${proxy.port}`, WebSocket: Counted, fetch, backoff: { base: 5, cap: 20 },
  });
  try {
    let failures = 0;
    const away = new Promise((resolve) => {
      client.on("state", ({ state }) => {
        if (state === "waiting") failures += 1;
        // Four attempts by each transport: the next one is by events.
        if (failures === 8) resolve();
      });
    });
    const joining = client.join("lobby");
    await away;
    proxy.forward(broker.httpPort);
    await joining;
    await client.publish("lobby", "hello");
    assert.equal(sockets.at(-1).readyState, 1);
  } finally {
    client.close();
    proxy.close();
    await broker.close();
    assert.deepEqual(broker.alarms, []);
  }
});
