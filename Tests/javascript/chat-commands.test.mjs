// What is typed into the chat page: what is published, what is done, and what is neither.
import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, isMessage, typedOf } from "../../Sources/RoomHTTP/Pages/chat-commands.js";

for (const [typed, meaning] of [
  ["hello", { say: "hello" }],
  ["and/or", { say: "and/or" }],
  ["/me waves", { say: "/me waves" }],
  ["/ME  waves\nand goes", { say: "/me waves\nand goes" }],
  ["//usr/bin is a directory", { say: "/usr/bin is a directory" }],
  ["//me waves", { say: "/me waves" }],
  ["/who", { act: "who", argument: "" }],
  ["/?", { act: "help", argument: "" }],
  ["/join the kitchen", { act: "join", argument: "the kitchen" }],
  ["/JOIN kitchen", { act: "join", argument: "kitchen" }],
  ["/part", { act: "leave", argument: "" }],
  ["/nick Ada", { act: "name", argument: "Ada" }],
  ["/colour #2e7d32", { act: "color", argument: "#2e7d32" }],
]) {
  test(`${JSON.stringify(typed)} is ${JSON.stringify(meaning)}`, () => assert.deepEqual(commandOf(typed), meaning));
}

for (const [typed, words] of [
  ["/msg Leia the password is 1234", /no private messages/],
  ["/query Leia", /no private messages/],
  ["/me", /needs a text/],
  ["/join", /needs the name of a room/],
  ["/who cares", /takes nothing/],
  ["/kick Luke", /by the menu/],
  ["/quit", /Close this page/],
  ["/frobnicate now", /There is no \/frobnicate, and nothing was sent/],
  ["/usr/bin is a directory", /\/\/text sends \/text/],
  ["/constructor", /There is no \/constructor/],
  ["/", /There is no \//],
]) {
  test(`${JSON.stringify(typed)} is not sent`, () => {
    const { problem, ...others } = commandOf(typed);
    assert.match(problem, words);
    assert.deepEqual(others, {});
  });
}

test("a message that comes back into the field is the same when it is sent again", () => {
  for (const text of ["hello", "/usr/bin", "//", "/me waves", "/me"]) assert.equal(commandOf(typedOf(text)).say, text);
});

test("a command tells nobody that one writes", () => {
  const telling = ["h", "/me w", "//usr", "", "  ", "/", "/msg Leia the", "/me"].filter(isMessage);
  assert.deepEqual(telling, ["h", "/me w", "//usr"]);
});
