// The page's texts: people who look alike are told apart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions, nameKey, userText } from "../../Sources/RoomHTTP/Pages/text.js";

test("a user that could be taken for another one is in quotes, with escapes", () => {
  for (const plain of ["u7", "jürgen", "auth0|5f7c"]) assert.equal(userText(plain), plain);
  const shown = ["", "r1 ", "r\u{200b}1", "r\u{3164}1", "r1\x7f", "\"r1\"", "r1, Rob", "r\\1", "a  b", "r1\u2800", "rene\u0301"].map(userText);
  assert.deepEqual(shown, [
    "\"\"", "\"r1 \"", "\"r\\u{200B}1\"", "\"r\\u{3164}1\"", "\"r1\\u{7F}\"", "\"\\\"r1\\\"\"", "\"r1, Rob\"", "\"r\\\\1\"",
    "\"a \\u{20}b\"", "\"r1\\u{2800}\"", "\"rene\\u{301}\"",
  ]);
});

test("a name is the same in all spellings of its accents, and in upper case", () => {
  const [composed, decomposed] = ["B\u00e9a", "Be\u0301a"];
  for (const other of [decomposed, "B\u00c9A", "B\u00e9\u200ba", "\uff22\u00e9a"]) assert.equal(nameKey(other), nameKey(composed));
  assert.notEqual(nameKey("Bea"), nameKey(composed));
  for (const name of [composed, decomposed]) {
    assert.ok(mentions(`hello ${composed}!`, name) && mentions(`hello ${decomposed}!`, name));
    assert.ok(!mentions("hello Bea", name));
  }
  assert.ok(!mentions("Be\u0301", "Be"));
});
