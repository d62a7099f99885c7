// The page's texts: people who look alike are told apart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { userText } from "../../Sources/RoomHTTP/Pages/text.js";

test("a user that could be taken for another one is in quotes, with escapes", () => {
  for (const plain of ["u7", "jürgen", "auth0|5f7c"]) assert.equal(userText(plain), plain);
  const shown = ["", "r1 ", "r\u{200b}1", "r\u{3164}1", "r1\x7f", "\"r1\"", "r1, Rob", "r\\1", "a  b", "r1\u2800", "rene\u0301"].map(userText);
  assert.deepEqual(shown, [
    "\"\"", "\"r1 \"", "\"r\\u{200B}1\"", "\"r\\u{3164}1\"", "\"r1\\u{7F}\"", "\"\\\"r1\\\"\"", "\"r1, Rob\"", "\"r\\\\1\"",
    "\"a \\u{20}b\"", "\"r1\\u{2800}\"", "\"rene\\u{301}\"",
  ]);
});
