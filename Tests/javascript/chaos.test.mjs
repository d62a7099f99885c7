// The client against the real broker, with a network between them that does its worst, while the broker is killed again
// and again. ROOMLINE_SEEDS=1-50 runs other seeds.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Roomline } from "../../Sources/RoomHTTP/Pages/roomline.js";
import { BrokerProcess } from "./support/broker.mjs";
import { HostileProxy } from "./support/proxy.mjs";
import { SeededRandom, seeds } from "./support/random.mjs";
import { WebSocket, fetch } from "./support/transport.mjs";

const [plaza, lobby, attic] = ["observable-plaza", "lobby", "attic"];
const rooms = [plaza, lobby, attic];
const theEnd = "the end";
/** Far above what a run takes. */
const patience = { timeout: 240_000 };

/** `habit` is how it reads: all the time, slowly, late, or in short stays. */
const roles = [
  { name: "Ada", listens: [plaza, lobby], publishes: [plaza, lobby] },
  { name: "Bob", listens: [plaza, attic], publishes: [plaza, attic], buffer: { count: 16 } },
  { name: "Cyd", listens: [], publishes: [lobby, attic] },
  { name: "Dee", listens: rooms, publishes: [], buffer: { count: 4 }, listeners: true },
  { name: "Eve", habit: "slow", listens: [plaza, attic], publishes: [], buffer: { count: 64, bytes: 20_000 } },
  { name: "Hal", habit: "late", listens: [plaza, lobby], publishes: [] },
  { name: "Ida", habit: "wandering", listens: [lobby], publishes: [] },
];

/** How many publishes have ended; tests wait for it instead of for the time. */
class Progress {
  count = 0;
  #waiting = [];

  advance() {
    this.count += 1;
    this.#waiting = this.#waiting.filter(({ count, resolve }) => this.count < count || resolve());
  }

  reached(count) {
    if (this.count >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}

class Run {
  progress = new Progress();
  receipts = [];
  readings = [];

  constructor(seed, { broker, proxy, perLane, kills, mint, transport }) {
    Object.assign(this, { seed, broker, proxy, perLane, kills, mint, transport });
    const lanes = roles.reduce((sum, { publishes }) => sum + publishes.length, 0) * 2;
    this.total = lanes * perLane;
    this.clients = roles.map((role) => ({ role, client: this.client(proxy.port, role) }));
  }

  client(port, { name, buffer }) {
    return new Roomline({
      url: `ws://127.0.0.1:${port}`, transport: this.transport, WebSocket, fetch, data: { name }, buffer,
      token: this.mint && ((client) => this.mint({ client, seconds: 1 })),
      // Short enough for stalls to be found within a test.
      backoff: { base: 5, cap: 100 }, heartbeat: 1, connectTimeout: 2000,
    });
  }

  async run() {
    const reading = [];
    for (const { role, client } of this.clients) {
      for (const name of role.listens) reading.push(await this.read(role, client, name));
    }
    const killing = this.killBrokers();
    await Promise.all(this.clients.flatMap(({ role, client }) => role.publishes.flatMap((room) => [
      this.publishInTurn(client, `${role.name} ${room} in turn`, room),
      this.publishTogether(client, `${role.name} ${room} together`, room),
    ])));
    await killing;
    this.proxy.calm();
    for (const room of rooms) await this.clients[0].client.publish(room, theEnd);
    for (const { done } of reading) await done;
    for (const { client } of this.clients) client.close();
  }

  async killBrokers() {
    for (let kill = 1; kill <= this.kills; kill += 1) {
      await this.progress.reached((this.total * kill) / (this.kills + 1));
      this.proxy.forward(undefined);
      await this.broker.kill9();
      await this.broker.restart();
      this.proxy.forward(this.broker.httpPort);
    }
  }

  // -- publishing

  async publish(client, text, room) {
    const { seq, id } = await client.publish(room, text);
    this.receipts.push({ room, text, seq, id });
    this.progress.advance();
  }

  text(lane, number) {
    const random = new SeededRandom(this.seed * 1000 + number);
    return `${lane} ${number} ${"x".repeat(random.below(2 ** random.below(12)))}`;
  }

  async publishInTurn(client, lane, room) {
    for (let number = 0; number < this.perLane; number += 1) {
      await this.publish(client, this.text(lane, number), room);
      // Neither has to come through, but nothing may come of them that should not.
      if (number % 10 === 0) client.publish(room, `${lane} ${number}`, { ephemeral: true }).catch(() => {});
    }
  }

  async publishTogether(client, lane, room) {
    for (let first = 0; first < this.perLane; first += 10) {
      const together = numbers(first, Math.min(10, this.perLane - first));
      await Promise.all(together.map((number) => this.publish(client, this.text(lane, number), room)));
    }
  }

  // -- reading

  async read(role, client, name) {
    const reading = { reader: role.name, room: name, entries: [], gaps: [], ephemeral: 0, name };
    this.readings.push(reading);
    switch (role.habit) {
      case "late": return { done: this.readLate(client, name, reading) };
      case "wandering": return { done: this.wander(client, name, reading) };
      default: {
        const room = await client.join(name);
        if (role.listeners) return { done: listenToTheEnd(room, reading) };
        return { done: this.readToTheEnd(room, reading, role.habit === "slow") };
      }
    }
  }

  async readToTheEnd(room, reading, isSlow = false) {
    for await (const event of room) {
      if (note(event, reading)) return;
      if (!isSlow || reading.entries.length % 40 > 0) continue;
      await this.progress.reached(Math.min((reading.entries.length / 40) * (this.total / 4), this.total));
    }
  }

  async readLate(client, name, reading) {
    await this.progress.reached(this.total / 2);
    const epoch = this.epochs[name];
    await this.readToTheEnd(await client.join(name, { since: { epoch, seq: 0 } }), reading);
  }

  /** In many short stays. */
  async wander(client, name, reading) {
    let position = { epoch: this.epochs[name], seq: 0 };
    for (;;) {
      const room = await client.join(name, { since: position });
      let left = 40;
      for await (const event of room) {
        if (note(event, reading)) return;
        position = event.position ?? position;
        if (event.type === "message") left -= 1;
        if (left === 0) break;
      }
      await room.leave();
    }
  }

  async histories() {
    const client = this.client(this.broker.httpPort, { name: "judge" });
    const histories = {};
    for (const name of rooms) {
      const room = await client.join(name);
      histories[name] = [];
      for (let page = { hasMore: true, to: 0 }; page.hasMore; ) {
        page = await room.history({ after: page.to, limit: 500 });
        histories[name].push(...page.messages.map(({ seq, id, value }) => ({ seq, id, text: value })));
      }
    }
    client.close();
    return histories;
  }
}

/** Adds an event to a reading. Returns whether it was the last one. */
function note(event, reading) {
  if (event.type === "gap") reading.gaps.push(event);
  if (event.type !== "message") return false;
  if (event.seq === undefined) {
    reading.ephemeral += 1;
    return false;
  }
  reading.entries.push({ seq: event.seq, id: event.id, text: event.value });
  return event.value === theEnd;
}

function listenToTheEnd(room, reading) {
  return new Promise((resolve) => room.on("*", (event) => { if (note(event, reading)) resolve(); }));
}

async function chaos(seed, { history, perLane, kills, wantsTokens = false, transport = "websocket" }) {
  const tokens = wantsTokens ? ",auth=required,token-expiry=live" : "";
  const channel = `default,history=${history},grace=1s${tokens}`;
  const flags = ["--channel", channel, "--window-per-room", "16KiB", "--token-skew", "0s"];
  const broker = await BrokerProcess.start(...flags);
  let proxy;
  let run;
  try {
    const mint = wantsTokens ? broker.mint("default") : undefined;
    proxy = await HostileProxy.start(seed);
    proxy.forward(broker.httpPort);
    run = new Run(seed, { broker, proxy, perLane, kills, mint, transport });
    run.epochs = await epochs(run, broker);
    await run.run();
    return { run, histories: await run.histories(), connections: proxy.accepted };
  } finally {
    for (const { client } of run?.clients ?? []) client.close();
    proxy?.close();
    await broker.close();
    assert.deepEqual(broker.alarms, []);
  }
}

/** The logs of the rooms, from before anything is published. */
async function epochs(run, broker) {
  const client = run.client(broker.httpPort, { name: "opener" });
  const found = {};
  for (const name of rooms) {
    await client.publish(name, "the beginning");
    found[name] = (await client.join(name)).position.epoch;
  }
  client.close();
  return found;
}

/** What holds whatever the history keeps. */
function checkPublishes({ run, histories }) {
  assert.equal(run.receipts.length, run.total, "every publish was acknowledged");
  for (const room of rooms) {
    const stored = histories[room];
    const bySeq = new Map(stored.map((entry) => [entry.seq, entry]));
    assert.equal(new Set(stored.map(({ text }) => text)).size, stored.length, `a message is stored twice in ${room}`);
    const { seq: oldest } = stored[0];
    for (const { seq, id, text } of run.receipts.filter((receipt) => receipt.room === room && receipt.seq >= oldest)) {
      assert.deepEqual(bySeq.get(seq), { seq, id, text }, `an acknowledged message is not where its receipt says`);
    }
  }
}

for (const seed of seeds()) {
  describe(`seed ${seed}`, () => {
    test("through a hostile network and four kills everybody ends with the broker's history", patience, async () => {
      const outcome = await chaos(seed, { history: 1_000_000, perLane: 60, kills: 4 });
      checkPublishes(outcome);
      checkReadings(outcome);
      assert.ok(outcome.connections > 20, `only ${outcome.connections} connections: the network was not hostile`);
      for (const { role } of outcome.run.clients) {
        for (const room of role.publishes) {
          checkOrder(`${role.name} ${room} in turn`, outcome.histories[room]);
          checkOrder(`${role.name} ${room} together`, outcome.histories[room]);
        }
      }
    });

    for (const transport of ["events", "auto"]) {
      test(`so they do with the transport ${transport}`, patience, async () => {
        const outcome = await chaos(seed, { history: 1_000_000, perLane: 30, kills: 2, transport });
        checkPublishes(outcome);
        checkReadings(outcome);
        assert.ok(outcome.connections > 20, `only ${outcome.connections} connections: the network was not hostile`);
      });
    }

    test("tokens that expire all the time cost nobody a message", patience, async () => {
      const outcome = await chaos(seed, { history: 1_000_000, perLane: 30, kills: 1, wantsTokens: true });
      checkPublishes(outcome);
      checkReadings(outcome);
    });

    test("where the history is short every message comes or is told as missing", patience, async () => {
      const outcome = await chaos(seed, { history: 30, perLane: 30, kills: 3 });
      checkPublishes(outcome);
      for (const { reader, room, entries, gaps } of outcome.run.readings) {
        const place = `seed ${seed}: ${reader} in ${room}`;
        const seqs = entries.map(({ seq }) => seq);
        const missing = gaps.flatMap(({ from, to }) => numbers(from, to - from + 1));
        const all = [...seqs, ...missing].sort((one, other) => one - other);
        const first = all[0];
        assert.deepEqual(all, numbers(first, all.length), `${place}: once each`);
        assert.ok(first <= 2, `${place}: from the beginning`);
        assert.deepEqual(seqs, seqs.toSorted((one, other) => one - other), `${place}: in order`);
      }
      assert.ok(outcome.run.readings.some(({ gaps }) => gaps.length > 0), "nothing was ever missing");
    });
  });
}

/** Everybody has got everything, once and in order. */
function checkReadings({ run, histories }) {
  for (const { reader, room, entries, gaps } of run.readings) {
    const stored = histories[room];
    const place = `seed ${run.seed}: ${reader} in ${room}`;
    assert.deepEqual(gaps, [], place);
    assert.deepEqual(entries.map(({ seq }) => seq), stored.map(({ seq }) => seq).slice(-entries.length), place);
    assert.deepEqual(entries, stored.slice(-entries.length), place);
    assert.ok(entries.length >= stored.length - 1, `${place}: ${entries.length} of ${stored.length}`);
  }
}

/** Messages that one client publishes to a room keep their order. */
function checkOrder(lane, stored) {
  const texts = stored.map(({ text }) => text).filter((text) => text.startsWith(`${lane} `));
  const found = texts.map((text) => Number(text.match(/ (\d+) x*$/)[1]));
  assert.deepEqual(found, numbers(0, found.length), lane);
  assert.ok(found.length > 0, lane);
}

/** So many numbers from the first one on. */
function numbers(first, count) {
  return Array.from({ length: count }, (_, index) => first + index);
}
