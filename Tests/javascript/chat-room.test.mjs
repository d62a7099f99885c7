// A room of the chat page, without a page: what it knows of its people, its rules and its removed messages.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { labelOf, markOf } from "../../Sources/RoomHTTP/Pages/chat-people.js";
import { ChatRoom } from "../../Sources/RoomHTTP/Pages/chat-room.js";
import { SanctionList } from "../../Sources/RoomHTTP/Pages/chat-sanctions.js";

const memory = {
  profile: { name: "Ada", color: "#1864ab" }, ownIDs: new Set(["ada"]),
  place: () => undefined, setPlace() {}, unsent: () => [], keepUnsent() {},
};

/** Somebody who is here, with the user of the token where there is one. */
const member = (id, name, user) => ({ id, clientData: { name }, ...(user && { authData: user }) });

/** The `Room` of roomline.js: `pages` are what its history answers, `answers` what becomes of each publish. */
class Joined {
  showsMembers = true;
  asked = [];

  constructor({ pages = [], publish = () => new Promise(() => {}) } = {}) {
    Object.assign(this, { pages, publish });
  }

  on(_, listener) {
    this.tell = listener;
  }

  async history(query) {
    this.asked.push(query);
    return this.pages.shift() ?? { messages: [], redactions: [], hasMore: false };
  }
}

function entered(options) {
  const room = new ChatRoom("den", memory, () => {});
  const joined = new Joined(options);
  room.attach(joined);
  return { room, joined };
}

let lastSeq = 0;
function message(author, value, fields = {}) {
  lastSeq += 1;
  const position = { epoch: "e", seq: lastSeq };
  return {
    type: "message", id: `m${lastSeq}`, seq: lastSeq, position, time: new Date(), sender: author, member: author, value,
    isOwn: false, isHistory: false, isMissed: false, isRedacted: value === null, ...fields,
  };
}

const members = (...all) => ({ type: "members", members: all, count: all.length });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("the rules of a room", () => {
  const rules = [{ type: "muted", reason: "spam" }, { type: "notice", code: "room_locked", text: "locked", sender: {} }];

  test("end with one's stay, and begin anew with the next", () => {
    for (const again of [(room) => room.end({ code: "kicked", message: "" }), (room) => room.detach()]) {
      const { room, joined } = entered();
      for (const event of rules) joined.tell(event);
      assert.deepEqual([room.mutedText, room.closed], ["You are muted: spam", "locked"]);
      again(room);
      assert.deepEqual([room.mutedText, room.closed], [undefined, undefined]);
    }
  });

  test("a mute in the whole channel outlives a stay", () => {
    const { room } = entered();
    room.on_muted({ reason: "spam" }, "channel");
    room.end({ code: "kicked", message: "" });
    room.detach();
    assert.equal(room.mutedText, "You are muted: spam");
  });

  test("a lock is known once the broker has refused a message for it", async () => {
    const { room } = entered({ publish: () => Promise.reject(Object.assign(new Error("locked"), { code: "room_locked" })) });
    room.send("hello");
    await settled();
    assert.equal(room.closed, "This room is locked: nobody can write for now.");
    assert.equal(room.pending[0].state, "failed");
  });
});

describe("slow mode", () => {
  const tooFast = { code: "rate_limited", message: "the room is in slow mode: each member must wait 600 seconds between two messages", retryIn: 600_000 };

  test("what waits for it says so, and nothing once it is sent", async () => {
    let answer;
    const publish = (_, { onDelay }) => new Promise((resolve) => {
      onDelay(tooFast, 20_000);
      answer = resolve;
    });
    const { room } = entered({ publish });
    room.send("hello");
    const [entry] = room.pending;
    assert.equal(entry.wait.isSlowMode, true);
    assert.ok(Math.abs(entry.wait.until - performance.now() - 20_000) < 5000);
    answer({ id: "m1" });
    await settled();
    assert.equal(entry.wait, undefined);
  });

  test("too many messages are no slow mode", () => {
    const { room } = entered({ publish: (_, { onDelay }) => new Promise(() => onDelay({ code: "rate_limited", message: "too many" }, 100)) });
    room.send("hello");
    assert.equal(room.pending[0].wait.isSlowMode, false);
  });

  test("a pause that is too long to wait is named", async () => {
    const { room } = entered({ publish: () => Promise.reject(tooFast) });
    room.send("hello");
    await settled();
    assert.match(room.pending[0].trouble, /^the room is in slow mode, and one can write again at \S/);
  });
});

describe("people of one name", () => {
  const one = { id: "aaaaaaaa", name: "Luke" };
  const other = { id: "bbbbbbbb", name: "luke" };

  test("have their user or their session behind it, also where one has gone", () => {
    const { room, joined } = entered();
    joined.tell(message(member(one.id, "Luke"), "hello"));
    joined.tell(members(member(one.id, "Luke")));
    assert.equal(labelOf(room, one), "Luke");
    joined.tell({ type: "joined", member: member(other.id, "luke", "u2") });
    assert.deepEqual([labelOf(room, one), labelOf(room, other)], ["Luke (aaaaa)", "luke (u2)"]);
    joined.tell({ type: "left", member: member(one.id, "Luke") });
    assert.deepEqual([labelOf(room, one), labelOf(room, other)], ["Luke (aaaaa)", "luke (u2)"]);
  });

  test("two sessions of one user are one person, also where messages do not say the user", () => {
    const { room, joined } = entered();
    joined.tell(members(member(one.id, "Luke", "u1"), member("cccccccc", "Luke", "u1")));
    joined.tell(message(member(one.id, "Luke"), "hello"));
    assert.equal(labelOf(room, room.authorOf(room.entries[0])), "Luke");
  });

  test("are those, too, whose names differ in what nobody sees, or look marked", () => {
    const { room, joined } = entered();
    joined.tell(members(member(one.id, "Luke", "u1"), member(other.id, "Lu\u200dke\ufe0f", "u2"), member("3", "Han (u1)", "u3")));
    const people = [...room.members.values()].map((each) => ({ id: each.id, user: each.authData, name: each.clientData.name }));
    assert.deepEqual(people.map((person) => markOf(room, person)), ["u1", "u2", "u3"]);
    assert.equal(labelOf(room, people[2]), "Han (u1) (u3)");
  });

  test("are told apart among the mutes and bans, and from users who are called as they are", () => {
    const { room, joined } = entered();
    joined.tell(message(member(one.id, "Luke"), "hello"));
    joined.tell(message(member(other.id, "Luke", "u2"), "hello"));
    joined.tell(message(member("dddddddd", "Han"), "hello"));
    const list = Object.create(SanctionList.prototype, { room: { value: room } });
    const sanctions = [{ client_id: one.id }, { user: "u2" }, { client_id: "dddddddd" }, { user: "u9" }, { address: "192.0.2.0/24" }];
    const named = sanctions.map((each) => ({ ...each, name: list.nameOf(each) }));
    const labels = named.map((each) => list.labelOf(each));
    assert.deepEqual(labels, ["Luke, session aaaaa", "Luke, user u2", "Han, session ddddd", "user u9", "192.0.2.0/24"]);
  });

  test("the author of a message is also who has come back with another session", () => {
    const { room, joined } = entered();
    joined.tell(members(member(one.id, "Luke", "u1")));
    joined.tell(message(member(one.id, "Luke"), "hello"));
    joined.tell({ type: "left", member: member(one.id, "Luke", "u1") });
    for (const id of ["cccccccc", "dddddddd"]) joined.tell({ type: "joined", member: member(id, "Luke", "u1") });
    joined.tell({ type: "joined", member: member(other.id, "Luke", "u2") });
    const author = room.authorOf(room.entries[0]);
    assert.deepEqual(author, { id: one.id, user: "u1", name: "Luke" });
    assert.deepEqual(room.sessionsOf(author), ["cccccccc", "dddddddd"]);
    assert.deepEqual(room.sessionsOf({ id: "eeeeeeee", name: "Luke" }), ["eeeeeeee"]);
  });
});

describe("people of one name", () => {
  const marks = (room) => room.entries.map((entry) => markOf(room, room.authorOf(entry)));
  const [han, bob] = [member("1", "Zed", "han"), member("2", "Zed", "bob")];

  test("are told apart also where one has another name by now, and after one has left", () => {
    const { room, joined } = entered();
    joined.tell(message(member("1", "Zed"), "buy", { isHistory: true }));
    assert.deepEqual(marks(room), [""]);
    joined.tell(members(member("1", "Han", "han"), member("2", "Bob", "bob")));
    assert.deepEqual(marks(room), [""]);
    joined.tell({ type: "updated", member: bob });
    joined.tell(message(bob, "hi"));
    assert.deepEqual(marks(room), ["han", "bob"]);
    joined.tell({ type: "left", member: bob });
    assert.deepEqual(marks(room), ["han", "bob"]);
    assert.equal(markOf(room, { id: "1", user: "han", name: "Han" }), "");
  });

  test("are told apart in messages that say who they are of", () => {
    const { room, joined } = entered();
    for (const user of ["u8", "u9"]) joined.tell(message(member(`id-${user}`, "Kim", user), "hi", { isHistory: true }));
    assert.deepEqual(marks(room), ["u8", "u9"]);
  });

  test("are told apart where a message shows the name that one had", () => {
    const { room, joined } = entered();
    joined.tell(members(member("1", "Han", "han"), bob));
    joined.tell(message(han, "buy", { isHistory: true }));
    assert.deepEqual(marks(room), ["han"]);
  });

  test("are one where one session came after the other", () => {
    const { room, joined } = entered();
    const [first, second] = [member("1", "Zoe"), member("2", "Zoe")];
    joined.tell(members(first));
    joined.tell(message(first, "hi"));
    joined.tell({ type: "left", member: first });
    joined.tell({ type: "joined", member: second });
    joined.tell(message(second, "again"));
    assert.deepEqual(marks(room), ["", ""]);
    joined.tell({ type: "joined", member: member("3", "zoe") });
    assert.deepEqual(marks(room), ["1", "2"]);
  });
});

describe("a removed message", () => {
  const redaction = (target, reason) => ({ type: "redacted", targetID: target.id, targetSeq: target.seq, reason });
  const luke = member("aaaaaaaa", "Luke");
  const texts = (room) => room.entries.map(({ text }) => text);

  test("has its reason from the history, where the join brings only the mark", async () => {
    const gone = [message(luke, null, { isHistory: true }), message(luke, null, { isHistory: true })];
    const pages = [
      { messages: [], redactions: [redaction(gone[0], "home address")], to: 90, hasMore: true },
      { messages: [], redactions: [redaction(gone[1])], to: 95, hasMore: true },
    ];
    const { room, joined } = entered({ pages });
    for (const event of gone) joined.tell(event);
    await settled();
    assert.deepEqual(texts(room), ["Removed by a moderator: home address", "Removed by a moderator"]);
    assert.deepEqual(joined.asked.map(({ after }) => after), [gone[0].seq, 90], "no longer than there is something to find");
  });

  test("has its reason where that comes before it, on a newer page", async () => {
    const old = message(luke, null, { isHistory: true });
    const recent = message(luke, "hello");
    const pages = [
      { messages: [], redactions: [redaction(old, "spam")], from: 5, hasMore: true },
      { messages: [old], redactions: [], from: 1, hasMore: false },
    ];
    const { room, joined } = entered({ pages });
    joined.tell(recent);
    await room.loadOlder();
    await room.loadOlder();
    assert.deepEqual(texts(room), ["Removed by a moderator: spam", "hello"]);
    await settled();
    assert.equal(joined.asked.length, 2);
  });

  test("without the right to read the history it has no reason, and nothing breaks", async () => {
    const { room, joined } = entered();
    joined.history = () => Promise.reject(Object.assign(new Error("no"), { code: "permission_denied" }));
    joined.tell(message(luke, null, { isHistory: true }));
    await settled();
    assert.deepEqual(texts(room), ["Removed by a moderator"]);
  });
});

describe("a room that was cleared while one was away", () => {
  const gap = { type: "gap", reason: "cleared", epoch: "f" };

  test("shows what the new log has, once, then what came meanwhile, and has older messages", async () => {
    const luke = member("luke", "Luke");
    const [old, kept, live] = ["deleted", "kept", "live"].map((value) => message(luke, value));
    const { room } = entered({ pages: [{ messages: [kept, live], redactions: [], hasMore: true, from: kept.seq }] });
    room.isInterrupted = true;
    room.on_message(old);
    room.on_gap(gap);
    room.on_message(live);
    room.on_recovered({ count: 0 });
    await new Promise(setImmediate);
    assert.deepEqual(room.entries.filter(({ kind }) => kind === "message").map(({ text }) => text), ["kept", "live"]);
    assert.ok(room.entries.every(({ text }) => !text.includes("Nothing was missed")));
    assert.ok(room.hasOlder && room.olderThan === kept.seq);
  });

  test("without a history keeps what another log had, unless it was cleared", async () => {
    for (const [reason, left] of [["epoch", ["old"]], ["cleared", []]]) {
      const { room, joined } = entered();
      joined.history = () => Promise.reject(new Error("history_off"));
      room.on_message(message(member("luke", "Luke"), "old"));
      room.on_gap({ ...gap, reason });
      await new Promise(setImmediate);
      assert.deepEqual(room.entries.filter(({ kind }) => kind === "message").map(({ text }) => text), left);
    }
  });
});
