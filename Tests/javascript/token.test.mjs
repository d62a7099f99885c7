import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { advance, resumeTime, settled, stopTime } from "./support/clock.mjs";
import { ScriptedBroker } from "./support/scripted.mjs";

beforeEach(stopTime);
afterEach(resumeTime);

const receipt = { id: "019aa3c5-7b00-7004-8f21-6c0d5e4b3a04", seq: 42 };

/** A token function that counts its calls. */
function provider() {
  const asked = [];
  return { asked, token: async (clientID) => `token ${asked.push(clientID)}` };
}

/** Connects with a token function. */
async function authenticated(options) {
  const broker = new ScriptedBroker();
  const { asked, token } = provider();
  const client = broker.client({ token, ...options });
  client.connect();
  broker.last.open();
  await broker.last.welcome({ require_auth: true });
  broker.last.reply(broker.last.take("authenticate"));
  await settled();
  assert.equal(client.state, "connected");
  return { broker, client, asked, connection: broker.last };
}

describe("a token function", () => {
  test("is asked on every connection, and requests wait for the broker's answer", async () => {
    const broker = new ScriptedBroker();
    const { asked, token } = provider();
    const client = broker.client({ token });
    client.publish("lobby", "hello");
    for (const number of [1, 2]) {
      broker.last.open();
      const handshake = await broker.last.welcome({ require_auth: true, client_id: `client ${number}` });
      assert.equal(handshake.token, undefined);
      const frame = broker.last.take("authenticate");
      assert.equal(frame.token, `token ${number}`);
      assert.equal(broker.last.sent.length, 0);
      broker.last.reply(frame);
      broker.last.take("publish");
      await broker.last.lose();
      await advance(1000);
    }
    assert.deepEqual(asked, ["client 1", "client 2"]);
  });

  test("that fails makes the client try again later", async () => {
    const broker = new ScriptedBroker();
    const cause = new Error("the backend is down");
    const client = broker.client({ token: () => { throw cause; } });
    const connecting = assert.rejects(client.connect(), { code: "token_provider_failed", cause, retryable: true });
    broker.last.open();
    await broker.last.welcome();
    await connecting;
    assert.equal(client.state, "waiting");
  });

  test("whose answer ends in a newline gives a token without it", async () => {
    const broker = new ScriptedBroker();
    broker.client({ token: async () => " a.b.c\r\n" }).connect().catch(() => {});
    broker.last.open();
    await broker.last.welcome();
    assert.equal(broker.last.take("authenticate").token, "a.b.c");
  });

  for (const [answer, word] of [[undefined, "undefined"], [null, "null"], ["\n", "an empty string"], [{}, "object"]]) {
    test(`that returns ${word} is named in the error and asked again later`, async () => {
      const broker = new ScriptedBroker();
      const answers = [answer, "a.b.c"];
      const client = broker.client({ token: () => answers.shift() });
      const connecting = assert.rejects(client.connect(), ({ code, message }) => {
        return code === "token_provider_failed" && message.includes(word);
      });
      broker.last.open();
      await broker.last.welcome();
      await connecting;
      assert.equal(broker.last.sent.length, 0);
      await advance(100);
      await broker.accept();
      broker.last.reply(broker.last.take("authenticate"));
      assert.equal(client.state, "connected");
    });
  }

  const refusals = [["token_invalid", "closed"], ["token_expired", "waiting"], ["rate_limited", "waiting"]];
  for (const [code, state] of refusals) {
    test(`whose token is refused with ${code} leaves the client ${state}`, async () => {
      const broker = new ScriptedBroker();
      const client = broker.client({ token: provider().token });
      client.connect().catch(() => {});
      broker.last.open();
      await broker.last.welcome();
      broker.last.refuse(broker.last.take("authenticate"), code);
      assert.equal(client.state, state);
    });
  }

  test("is asked again when the token expires; what was refused is sent again, before what comes later", async () => {
    const { client, asked, connection } = await authenticated();
    const publishing = [client.publish("lobby", 1), client.publish("lobby", 2)];
    const history = client.join("attic");
    const [first, second, subscribe] = connection.sent.splice(0);
    connection.refuse(first, "token_expired");
    connection.refuse(second, "token_expired");
    connection.refuse(subscribe, "token_expired");
    publishing.push(client.publish("lobby", 3));
    await settled();
    assert.equal(asked.length, 2);
    const frame = connection.take("authenticate");
    assert.equal(connection.sent.length, 0);
    connection.reply(frame);
    assert.deepEqual(connection.sent.map(({ message, type }) => message ?? type), [1, 2, "subscribe", 3]);
    for (const each of connection.sent.splice(0)) connection.reply(each, { ...receipt, epoch: "5f3c9a1e7b240d86" });
    await Promise.all([...publishing, history]);
  });

  test("is asked again when the broker says that the token has expired", async () => {
    const { asked, connection } = await authenticated();
    connection.tell({ error: "the token has expired", code: "token_expired" });
    connection.tell({ error: "the token has expired", code: "token_expired" });
    await settled();
    assert.equal(asked.length, 2);
    connection.take("authenticate");
  });

  test("whose answer comes after the end of the connection is not used", async () => {
    const broker = new ScriptedBroker();
    const answers = [];
    const client = broker.client({ token: () => new Promise((resolve) => answers.push(resolve)) });
    client.connect().catch(() => {});
    broker.last.open();
    await broker.last.welcome();
    await broker.last.lose();
    await advance(100);
    await broker.accept();
    answers[0]("old");
    await settled();
    assert.equal(broker.last.sent.length, 0);
    answers[1]("new");
    await settled();
    assert.equal(broker.last.take("authenticate").token, "new");
  });
});

describe("a fixed token", () => {
  test("that ends in a newline, as that of a file does, is shown without it", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ token: "one\n" });
    client.connect();
    broker.last.open();
    assert.equal((await broker.last.welcome()).token, "one");
    client.authenticate("two\n");
    assert.equal(broker.last.take("authenticate").token, "two");
    await assert.rejects(client.authenticate(undefined), { code: "token_invalid" });
    assert.equal(broker.last.sent.length, 0);
  });

  test("is part of each handshake, and the one that authenticate gives takes its place", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ token: "one" });
    client.connect();
    broker.last.open();
    assert.equal((await broker.last.welcome()).token, "one");
    const authenticating = client.authenticate("two");
    broker.last.reply(broker.last.take("authenticate"));
    await authenticating;
    await broker.last.lose();
    await advance(100);
    broker.last.open();
    assert.equal((await broker.last.welcome()).token, "two");
  });

  test("that authenticate gives and the broker refuses changes nothing", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ token: "one" });
    client.connect();
    await broker.accept();
    const authenticating = client.authenticate("two");
    broker.last.refuse(broker.last.take("authenticate"), "token_invalid");
    await assert.rejects(authenticating, { code: "token_invalid" });
    assert.equal(client.state, "connected");
    await broker.last.lose();
    await advance(100);
    broker.last.open();
    assert.equal((await broker.last.welcome()).token, "one");
  });

  test("that authenticate gives and that has expired is refused, also where there is a token function", async () => {
    const { client, asked, connection } = await authenticated();
    const authenticating = client.authenticate("old");
    connection.refuse(connection.take("authenticate"), "token_expired");
    await assert.rejects(authenticating, { code: "token_expired" });
    assert.deepEqual([client.state, asked.length], ["connected", 1]);
  });

  test("that has expired closes the client at the next handshake", async () => {
    const broker = new ScriptedBroker();
    const client = broker.client({ token: "one" });
    client.connect().catch(() => {});
    broker.last.open();
    broker.last.refuse(broker.last.take("handshake"), "token_expired", { client_id: "" });
    assert.equal(client.state, "closed");
  });
});
