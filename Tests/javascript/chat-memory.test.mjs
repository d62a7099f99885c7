// What the chat page keeps in the browser, without a page.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Memory } from "../../Sources/RoomHTTP/Pages/chat-memory.js";

class Storage {
  items = new Map();

  getItem(key) {
    return this.items.get(key) ?? null;
  }

  setItem(key, value) {
    this.items.set(key, value);
  }
}

const token = (data) => `head.${Buffer.from(JSON.stringify({ data })).toString("base64url")}.proof`;

describe("two users of one browser", () => {
  beforeEach(() => Object.assign(globalThis, { localStorage: new Storage(), sessionStorage: new Storage() }));

  test("keep their sessions and what they have not sent apart", () => {
    const first = new Memory("closed");
    first.token = token({ id: "Zoë" });
    first.addOwnID("a1");
    first.keepDraft("den", "half a sentence");
    first.keepUnsent("den", ["waits"]);
    assert.equal(first.isOfAnother(token("Zoë")), false);
    assert.equal(first.isOfAnother(token("eve")), true);
    first.token = token("eve");
    first.keepDraft("den", "a sentence");
    const other = new Memory("closed");
    assert.deepEqual([other.user, [...other.ownIDs], other.draft("den"), other.unsent("den")], ["eve", [], "", []]);
    other.token = token("Zoë");
    const again = new Memory("closed");
    assert.deepEqual([[...again.ownIDs], again.draft("den"), again.unsent("den")], [["a1"], "a sentence", ["waits"]]);
  });

  test("a token that names nobody changes nothing", () => {
    const memory = new Memory("open");
    memory.addOwnID("a1");
    memory.keepDraft("den", "half");
    memory.token = "no token";
    assert.deepEqual([[...memory.ownIDs], memory.isOfAnother(token("eve"))], [["a1"], false]);
    assert.equal(new Memory("open").draft("den"), "half");
  });
});
