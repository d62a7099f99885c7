// The admin tokens.

import { ask, button, field, problemNode, showSecret, table, tag, timeText } from "./console-parts.js";
import { element } from "./text.js";

const SCOPES = [["read", "see everything"], ["moderate", "moderate, too"], ["manage", "change everything"]];
const EXPIRIES = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["2592000", "30 days"],
  ["31536000", "1 year"],
  ["", "– it does not"],
];

export function tokens({ api, node }) {
  const list = element("div");
  async function load() {
    try {
      const { tokens: found } = await api.get("/tokens");
      list.replaceChildren(table(["Name", "May", "Created", "Expires", ""], found.map((token) => [
        element("span", "strong", token.name),
        element("span", "", ...token.scopes.map((scope) => tag(scope, scope === "manage" ? "warn" : ""))),
        timeText(token.created_at),
        token.expires_at ? timeText(token.expires_at) : "never",
        element("div", "acts", button("Revoke…", "act bad", () => revoke(token.name))),
      ]), "There are no admin tokens."));
    } catch (error) {
      list.replaceChildren(problemNode(error));
    }
  }
  function revoke(name) {
    ask({
      title: `Revoke the token ${name}?`,
      text: "Whoever uses it is refused from now on.",
      word: "Revoke",
      async act() {
        await api.call("DELETE", `/tokens/${encodeURIComponent(name)}`);
        load();
        return `The token ${name} is revoked`;
      },
    });
  }
  function create() {
    ask({
      title: "New admin token",
      text: "For the admin API, the commands and this console. "
        + "The tokens of clients are made with the secret of a channel.",
      fields: [
        field("Name", "name", "", { required: "", pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]{0,63}" }),
        field("May", "scope", "read", { choices: SCOPES }),
        field("Expires in", "seconds", "2592000", { choices: EXPIRIES }),
      ],
      word: "Create",
      isBad: false,
      async act({ name, scope, seconds }) {
        const expiry = seconds ? Number(seconds) : null;
        const made = await api.call("POST", "/tokens", { name, scopes: [scope], expires_in_seconds: expiry });
        load();
        showSecret(`The token ${name}`, "It is shown only now: store it in a safe place.", made.token);
      },
    });
  }
  node.append(
    element("div", "head", element("h1", "", "Admin tokens"), button("New token…", "main", create)),
    element("section", "card flush", list),
  );
  load();
}
