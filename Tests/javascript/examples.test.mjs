// Runs the examples of docs/javascript.md against the built broker.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Roomline } from "../../Sources/RoomHTTP/Pages/roomline.js";
import { BrokerProcess, root } from "./support/broker.mjs";
import { HostileProxy } from "./support/proxy.mjs";
import { WebSocket } from "./support/transport.mjs";

const page = readFileSync(path.join(root, "docs/javascript.md"), "utf8");
const fences = [...page.matchAll(/(?:<!-- example: ([\w-]+) -->\n\n)?```js\n(.*?)```/gs)];
const examples = new Map(fences.map(([, name, code]) => [name, code]));

let broker;
let token;
let backend;

before(async () => {
  broker = await BrokerProcess.start();
  token = broker.createChannel("shop")();
  backend = http.createServer((_, response) => response.end(token)).listen(0, "127.0.0.1");
});

after(async () => {
  backend.close();
  await broker.close();
});

/** A program that an example is: runs in a process of its own, behind a proxy that the test can cut. */
class Program {
  lines = [];
  #waiting = () => {};

  static async run(name) {
    const program = new Program();
    program.proxy = await HostileProxy.start(undefined);
    program.proxy.forward(broker.httpPort);
    program.directory = mkdtempSync(path.join(tmpdir(), "roomline-example-"));
    const file = path.join(program.directory, `${name}.mjs`);
    const module = pathToFileURL(path.join(root, "Sources/RoomHTTP/Pages/roomline.js")).href;
    const code = examples.get(name)
      .replaceAll("./roomline.js", module)
      .replaceAll("ws://127.0.0.1:10001", `ws://127.0.0.1:${program.proxy.port}`)
      .replaceAll("http://127.0.0.1:8080", `http://127.0.0.1:${backend.address().port}`)
      .replaceAll("eyJ…", token);
    writeFileSync(file, code);
    const preload = pathToFileURL(path.join(root, "Tests/javascript/support/global.mjs")).href;
    const flags = process.execArgv.filter((flag) => flag === "--experimental-websocket");
    const stdio = ["ignore", "pipe", "pipe"];
    program.process = spawn(process.execPath, [...flags, "--import", preload, file], { stdio });
    program.process.stderr.setEncoding("utf8").on("data", (text) => { program.errors += text; });
    readline.createInterface({ input: program.process.stdout }).on("line", (line) => program.#add(line));
    program.ended = new Promise((resolve) => program.process.on("close", () => resolve(program.#add(undefined))));
    return program;
  }

  errors = "";
  hasEnded = false;

  #add(line) {
    if (line === undefined) this.hasEnded = true;
    else this.lines.push(line);
    this.#waiting();
  }

  /** Waits for a line that the program prints. */
  async prints(expected) {
    const isThere = () => this.lines.some((line) => (expected.test ? expected.test(line) : line === expected));
    while (!isThere()) {
      assert.ok(!this.hasEnded, `it has not printed ${expected} but:\n${this.lines.join("\n")}\n${this.errors}`);
      await new Promise((resolve) => { this.#waiting = resolve; });
    }
  }

  async end() {
    this.process.kill();
    await this.ended;
    this.proxy.close();
    rmSync(this.directory, { recursive: true });
  }
}

/** Somebody else in the rooms of the examples. */
function neighbour(options) {
  return new Roomline({ url: `ws://127.0.0.1:${broker.httpPort}`, WebSocket, ...options });
}

/** Those that a reader may run again, in a room with what they said before. */
const repeated = ["quick-start", "listeners", "publish"];

const scenes = {
  async "quick-start"(program) {
    await program.prints("Luke says hello");
  },

  async listeners(program) {
    await program.prints("hello again");
    await program.ended;
    assert.ok(program.lines.includes("the connection is connected"));
    assert.ok(program.lines.some((line) => /^\d+ here$/.test(line)));
    assert.equal(program.lines.at(-1), "the connection is closed");
    assert.equal(program.errors, "");
  },

  async signal(program) {
    await program.prints("not in it: closed");
    await program.prints("in lobby");
  },

  async interruption(program, other) {
    while (!program.lines.includes(" before")) await other.publish("lobby", "before");
    program.proxy.forward(undefined);
    program.proxy.cut();
    await program.prints("connection lost, next attempt in 1 s");
    await other.publish("lobby", "after");
    program.proxy.forward(broker.httpPort);
    await program.prints("(late) after");
    await program.prints(/^\d+ missed messages, here they are$/);
  },

  async publish(program) {
    await program.prints("true true");
    await program.ended;
  },

  async history(program) {
    await program.prints(/^\d{4}-\d\d-\d\dT\S+Z before$/);
    await program.ended;
  },

  async presence(program, other) {
    await program.prints(/Han/);
    const room = await other.join("lobby");
    await program.prints("Leia came");
    room.typing();
    await program.prints("Leia is writing…");
    room.typing(false);
    await program.prints("Leia has stopped");
    await room.leave();
    await program.prints("Leia went");
  },

  async token(program) {
    await program.prints("signed in");
    await program.ended;
  },

  async moderation(program) {
    const customer = neighbour({ channel: "shop", token });
    await customer.publish("support", "cheap watches, this way");
    await program.prints(/^message \d+ was removed: spam$/);
    customer.close();
  },
};

describe("the examples of docs/javascript.md", () => {
  test("are all run", () => {
    assert.deepEqual([...examples.keys()], Object.keys(scenes));
    assert.equal(examples.size, fences.length);
  });

  const runs = Object.entries(scenes).flatMap(([name, scene]) => [
    [name, name, scene], ...(repeated.includes(name) ? [[`${name}, again`, name, scene]] : []),
  ]);
  for (const [title, name, scene] of runs) {
    test(title, { timeout: 60_000 }, async () => {
      const other = neighbour({ data: { name: "Leia" } });
      const program = await Program.run(name);
      try {
        await scene(program, other);
      } finally {
        other.close();
        await program.end();
      }
    });
  }
});
