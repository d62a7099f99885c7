// A network between clients and a broker that does its worst, as its seed says; until it is told to be calm.
import net from "node:net";
import { once } from "node:events";
import { SeededRandom } from "./random.mjs";

/** Small offsets are as likely as large ones: a handshake is cut as often as a replay of many messages. */
function offset(random, bits) {
  const scale = 2 ** random.below(bits);
  return scale + random.below(scale);
}

const ending = (random) => (random.chance(50) ? "closed" : "reset");

function lane(random, ends) {
  const steps = Array.from({ length: random.below(4) }, () => {
    const fault = random.chance(50) ? { delay: 1 + random.below(20) } : { dribble: 1 + random.below(64) };
    return { at: offset(random, 15), ...fault };
  });
  if (ends) {
    const kind = random.below(20);
    const fault = kind === 0 ? { stall: true } : kind < 6 ? { halfClose: true } : { cut: ending(random) };
    steps.push({ at: offset(random, 17), ...fault });
  }
  return steps.sort((one, other) => one.at - other.at);
}

/** What happens to one connection: decided by the seed and the connection's number alone. */
export function plan(seed, connection) {
  const random = new SeededRandom(Math.imul(seed, 0x01000193) ^ Math.imul(connection + 1, 0x9e3779b9));
  if (random.chance(6)) return { refusal: ending(random), toBroker: [], toClient: [] };
  const ends = random.below(10);
  return { toBroker: lane(random, ends < 3 || ends === 8), toClient: lane(random, ends > 2 && ends < 9) };
}

export class HostileProxy {
  #seed;
  #server;
  #connections = new Set();
  #isCalm = false;
  #brokerPort;
  accepted = 0;

  /** Starts a proxy; a seed of `undefined` forwards faithfully. */
  static async start(seed) {
    const proxy = new HostileProxy();
    proxy.#seed = seed;
    proxy.#server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => proxy.#accept(socket));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port() {
    return this.#server.address().port;
  }

  /** Where the broker listens now; `undefined`: it is down, and clients are sent away. */
  forward(port) {
    this.#brokerPort = port;
  }

  /** From now on forwards everything faithfully. */
  calm() {
    this.#isCalm = true;
    for (const connection of this.#connections) connection.calm();
  }

  /** Ends the connections that there are, as of a network that was gone for a moment. */
  cut() {
    for (const connection of this.#connections) connection.end("reset");
  }

  close() {
    this.cut();
    this.#server.close();
  }

  #accept(client) {
    const number = this.accepted++;
    const isFaithful = this.#isCalm || this.#seed === undefined;
    const script = isFaithful ? { toBroker: [], toClient: [] } : plan(this.#seed, number);
    client.on("error", () => {});
    if (script.refusal || this.#brokerPort === undefined) return kill(client, script.refusal ?? "closed");
    const connection = new ProxiedConnection(client, this.#brokerPort, script);
    this.#connections.add(connection);
    client.once("close", () => {
      connection.end("closed");
      this.#connections.delete(connection);
    });
  }
}

function kill(socket, how) {
  if (how === "reset") socket.resetAndDestroy();
  else socket.destroy();
}

class ProxiedConnection {
  constructor(client, port, script) {
    this.client = client;
    this.broker = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    this.broker.on("error", () => {});
    this.broker.once("close", () => this.end("closed"));
    const toBroker = new Lane(this, client, this.broker, script.toBroker);
    this.lanes = [toBroker, new Lane(this, this.broker, client, script.toClient)];
  }

  calm() {
    // A lane that has stopped has lost bytes: such a connection cannot be saved.
    if (this.lanes.some(({ hasStopped }) => hasStopped)) return this.end("reset");
    for (const lane of this.lanes) lane.steps = [];
  }

  end(how) {
    kill(this.client, how);
    kill(this.broker, how);
  }
}

/** One direction of a connection: carries out the steps of its plan at their offsets. */
class Lane {
  hasStopped = false;
  #forwarded = 0;

  constructor(connection, from, to, steps) {
    this.connection = connection;
    this.to = to;
    this.steps = steps;
    this.#run(from).catch(() => connection.end("closed"));
  }

  async #run(from) {
    for await (const chunk of from) {
      let rest = chunk;
      while (rest.length > 0 && !this.hasStopped) {
        const [step] = this.steps;
        if (step && this.#forwarded >= step.at) {
          this.steps.shift();
          rest = await this.#carryOut(step, rest);
          continue;
        }
        rest = await this.#forward(rest, step ? step.at - this.#forwarded : rest.length);
      }
    }
    if (!this.hasStopped) this.to.end();
  }

  async #carryOut(step, bytes) {
    if (step.delay) await new Promise((resolve) => setTimeout(resolve, step.delay));
    for (let left = step.dribble ?? 0; left > 0 && bytes.length > 0; left -= 1) bytes = await this.#forward(bytes, 1);
    if (step.stall || step.halfClose || step.cut) this.hasStopped = true;
    if (step.halfClose) this.to.end();
    if (step.cut) this.connection.end(step.cut);
    return bytes;
  }

  async #forward(bytes, count) {
    const now = bytes.subarray(0, count);
    this.#forwarded += now.length;
    if (!this.to.write(now)) await Promise.race([once(this.to, "drain"), once(this.to, "close")]);
    return bytes.subarray(now.length);
  }
}
