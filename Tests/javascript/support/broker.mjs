// The built broker as a process, on a data directory of its own.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const binary = process.env.ROOMLINE_BINARY ?? path.join(root, ".build/debug/roomline");

export class BrokerProcess {
  alarms = [];
  #data = mkdtempSync(path.join(tmpdir(), "roomline-js-"));
  #flags;
  #process;
  #log = [];

  static async start(...flags) {
    assert.ok(existsSync(binary), `${binary} is not built; run make build, or set ROOMLINE_BINARY`);
    const broker = new BrokerProcess();
    broker.#flags = flags;
    await broker.restart();
    return broker;
  }

  /** Starts the process, on ports that the system picks. */
  async restart() {
    const places = ["--tcp", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", this.#data];
    // An environment of ours only: a variable of the shell must not decide about a test.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROOMLINE_")));
    const options = { env, stdio: ["ignore", "ignore", "pipe"] };
    this.#process = spawn(binary, ["serve", ...places, "--log-format", "json", ...this.#flags], options);
    const lines = readline.createInterface({ input: this.#process.stderr });
    await new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        this.#log.push(line);
        const { level, message, metadata } = JSON.parse(line);
        if (level === "error" || level === "critical") this.alarms.push(line);
        if (message !== "listening") return;
        this.httpPort = Number(metadata["http.address"].split(":").at(-1));
        resolve();
      });
      lines.on("close", () => reject(new Error(`the broker does not listen; its log:\n${this.#log.join("\n")}`)));
    });
  }

  /** Makes a channel that requires tokens, and returns the mint for them. */
  createChannel(name) {
    return mint(name, this.#command("channel", "create", name, "--auth", "required", "--history", "100"));
  }

  /** The mint for the tokens of a channel that there is. */
  mint(name) {
    return mint(name, this.#command("channel", "rotate-secret", name, "--yes"));
  }

  #command(...args) {
    return execFileSync(binary, [...args, "--data", this.#data], { encoding: "utf8", stdio: "pipe" }).trim();
  }

  async kill9() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }

  async close() {
    await this.kill9();
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** Makes tokens that may do everything in a channel, as the backend of an app does that has the channel's secret. */
function mint(channel, secret) {
  return ({ client, seconds = 3600 } = {}) => {
    const allowed = { publish: true, subscribe: true, history: 1_000_000, moderate: true };
    const exp = Math.floor(Date.now() / 1000) + seconds;
    const parts = [{ alg: "HS256", typ: "JWT" }, { channel, client, exp, permissions: { ".*": allowed } }];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
}
