// roomline.d.ts, roomline.js and docs/javascript.md say the same, as far as that shows without TypeScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as module from "../../Sources/RoomHTTP/Pages/roomline.js";
import { connected, joined } from "./support/scripted.mjs";

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const code = read("Sources/RoomHTTP/Pages/roomline.js");
const declarations = read("Sources/RoomHTTP/Pages/roomline.d.ts").replaceAll(/\/\*\*.*?\*\//gs, "");
const page = read("docs/javascript.md");

/** The names in the body of an interface or a class, in order and each once. */
function declared(kind, name) {
  const [, body] = declarations.match(new RegExp(`export ${kind} ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s"));
  const names = body.matchAll(/^  (?:readonly |private )?(\[Symbol\.asyncIterator\]|\w+)[?(:<]/gm);
  return [...new Set([...names].map(([, each]) => each))];
}

/** The names in the first column of the table under a heading. */
function listed(heading) {
  const [, section] = page.match(new RegExp(`\n## ${heading}\n(.*?)(?=\n## |$)`, "s"));
  const rows = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell]) => cell);
  return rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
}

const sorted = (names) => [...names].sort();

/** What can be called or read on an object. */
function members(object) {
  const prototype = Object.getPrototypeOf(object);
  const symbols = Symbol.asyncIterator in object ? ["[Symbol.asyncIterator]"] : [];
  return [...Object.getOwnPropertyNames(prototype), ...symbols];
}

describe("the declarations", () => {
  test("export the classes that the module exports", () => {
    const classes = [...declarations.matchAll(/export class (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(sorted(classes), sorted(Object.keys(module)));
  });

  test("have the members of a client and of a room", async () => {
    const { client, room } = await joined();
    assert.deepEqual(sorted(declared("class", "Roomline")), sorted(members(client)));
    assert.deepEqual(sorted(declared("class", "Room")), sorted(members(room)));
    client.close();
  });

  test("have the fields of an error", () => {
    const error = new module.RoomlineError("muted", "text", { cause: 1, retryIn: 2 });
    const inherited = ["stack", "message", "name", "cause"];
    const own = Object.getOwnPropertyNames(error).filter((name) => !inherited.includes(name));
    assert.deepEqual(sorted(declared("class", "RoomlineError")), sorted(["constructor", ...own]));
  });

  test("have the options that the page lists and the module has defaults for", () => {
    const options = declared("interface", "RoomlineOptions");
    assert.deepEqual(sorted(listed("Options")), sorted(options));
    const [, defaults] = code.match(/const defaults = \{\n(.*?)\n\};/s);
    for (const [, name] of defaults.matchAll(/^  (\w+):/gm)) assert.ok(options.includes(name), name);
  });

  for (const [union, heading] of [["RoomEvent", "Events of a room"], ["ClientEvent", "Client"]]) {
    test(`have the events that the page lists: ${union}`, () => {
      const [, names] = declarations.match(new RegExp(`export type ${union} =(.*?);`, "s"));
      const types = names.split("|").map((each) => each.trim()).filter(Boolean).map((each) => {
        const [, name, argument] = each.match(/(\w+)(?:<"(\w+)">)?/);
        return argument ?? declarations.match(new RegExp(`interface ${name} \\{\\s*type: "(\\w+)"`))[1];
      });
      assert.deepEqual(sorted(types), sorted(listed(heading)));
    });
  }

  test("have the fields of the events that the module makes", async () => {
    const { client, connection } = await connected();
    const events = new Map();
    client.on("*", (event) => events.set(event.type, event));
    connection.tell({ type: "notice", text: "at noon", sender: { id: "ops", kind: "admin" } });
    connection.tell({ type: "muted" });
    connection.tell({ error: "text", code: "internal" });
    connection.tell({ type: "goodbye", code: "banned", reason: "spam", reconnect: false });
    for (const [type, event] of events) {
      const name = `${type[0].toUpperCase()}${type.slice(1)}Event`;
      const fields = declared("interface", name);
      for (const field of Object.keys(event)) assert.ok(fields.includes(field), `${name}.${field}`);
    }
    assert.deepEqual(sorted(events.keys()), ["error", "goodbye", "muted", "notice", "state"]);
  });
});

describe("the table of retryable codes", () => {
  test("is the protocol's", () => {
    const rows = [...read("docs/protocol.md").matchAll(/^\| `(\w+)` \| (yes|no) \| (?:yes|no) \| \d{4} \|/gm)];
    assert.ok(rows.length > 40);
    for (const [, word, retryable] of rows) {
      assert.equal(new module.RoomlineError(word, "").retryable, retryable === "yes", word);
    }
  });
});
