// Channels: the list, and one with its settings, its secret, its bans and mutes.

import { lift, notice } from "./console-acts.js";
import { path } from "./console-api.js";
import {
  allowed, ask, button, countText, field, link, problemNode, showSecret, spanText, subjectText, table, tag, timeText, toast,
} from "./console-parts.js";
import { actorText, element } from "./text.js";

const SHOWN_ONCE = "It is shown only now: store it in a safe place.";
const AUTHENTICATION = [
  ["none", "nobody needs a token"],
  ["optional", "a token is optional"],
  ["required", "everybody needs a token"],
];
const FRACTION = { type: "number", min: 0, step: "any" };
const OVERLAPS = [
  ["0", "– it ends now"],
  ["3600", "hour"],
  ["86400", "day"],
  ["604800", "7 days"],
];
/** What a new channel keeps unless it is said otherwise. */
const HISTORY = { count: 1_000, age_seconds: 30 * 86_400 };
const LIMITS = [
  ["connections", "Connections"],
  ["rooms", "Rooms with members"],
  ["members_per_room", "Members of a room"],
  ["message_bytes", "Bytes of a message"],
  ["publish_rate", "Messages per second"],
  ["member_publish_rate", "Messages per second and member"],
  ["new_room_rate", "Rooms activated per second"],
  ["member_new_room_rate", "Rooms activated per second and member"],
];

export function channels({ api, node, events, figures }) {
  const list = element("div");
  node.append(
    element("div", "head", element("h1", "", "Channels"), ...allowed(api, "manage", button("New channel…", "main", () => create(api)))),
    element("section", "card flush", list),
  );
  async function load() {
    try {
      const [found, statistics] = await Promise.all([api.list("/channels", "channels"), api.get("/statistics")]);
      const figuresOf = new Map(statistics.channels.map((channel) => [channel.id, channel]));
      list.replaceChildren(table(
        ["Channel", "Tokens", "History", "#Connections", "#Rooms", ""],
        found.map((channel) => rowOf(channel, figuresOf.get(channel.id))),
        "There are no channels.",
      ));
    } catch (error) {
      list.replaceChildren(problemNode(error));
    }
  }
  load();
  return events.on((name) => {
    if (name === "channel_changed" || name === "channel_removed" || name === "missed") load();
  });
}

function rowOf(channel, figures) {
  const title = [link(channel.id, `#/channel/${encodeURIComponent(channel.id)}`, "strong")];
  if (channel.name) title.push(element("span", "soft", ` ${channel.name}`));
  return [
    title,
    tag(channel.authentication, channel.authentication === "none" ? "warn" : ""),
    historyText(channel.history),
    countText(figures?.connections ?? 0),
    countText(figures?.rooms ?? 0),
    element("div", "acts", link("Rooms", `#/rooms/${encodeURIComponent(channel.id)}`, "act")),
  ];
}

function historyText(history) {
  return history ? `${countText(history.count)} messages, ${spanText(history.age_seconds)}` : "off";
}

function historyFields(history) {
  return [
    field("Messages that a room keeps", "history_count", history?.count, {
      type: "number",
      min: 0,
      hint: "empty or 0: no history",
    }),
    field("Days that a room keeps them", "history_days", history ? history.age_seconds / 86_400 : "", FRACTION),
  ];
}

/** Whether a change (undefined: none) has rooms keep less than they do. */
function keepsLess(changed, history) {
  if (changed === undefined || history === null) return false;
  return changed === null || changed.count < history.count || changed.age_seconds < history.age_seconds;
}

/** What the fields of a history say; null: none. */
function historyOf({ history_count: count, history_days: days }) {
  if (Number(count) === 0) return null;
  const age = days === "" ? {} : { age_seconds: Math.round(Number(days) * 86_400) };
  return { count: Number(count), ...age };
}

function create(api) {
  ask({
    title: "New channel",
    text: "A channel has its own rooms, settings and secret.",
    fields: [
      field("Id", "id", "", { required: "", pattern: "[A-Za-z0-9_\\-]{1,64}", hint: "letters, digits, _ and -" }),
      field("Tokens", "authentication", "required", { choices: AUTHENTICATION }),
      ...historyFields(HISTORY),
    ],
    word: "Create",
    isBad: false,
    async act({ id, authentication, ...said }) {
      const made = await api.call("POST", "/channels", { id, authentication, history: historyOf(said) });
      showSecret(`The secret of ${id}`, `It signs tokens. ${SHOWN_ONCE}`, made.secret);
      location.hash = `#/channel/${encodeURIComponent(id)}`;
    },
  });
}

export function channel({ api, node, events, arguments: [id] }) {
  const view = new ChannelView(api, node, id);
  view.load();
  return events.on((name, data) => {
    if (data?.channel === id && name === "moderated") view.loadSanctions();
    if (data?.channel === id && name === "channel_changed") view.changedElsewhere();
  });
}

class ChannelView {
  constructor(api, node, id) {
    Object.assign(this, { api, id });
    this.settings = element("div");
    this.secrets = element("div");
    this.sanctions = element("div");
    node.append(
      element("div", "head", element("p", "crumb", link("channels", "#/channels")), element("h1", "", id),
        link("Rooms", `#/rooms/${encodeURIComponent(id)}`, "small button"),
        ...allowed(api, "moderate", button("Notice…", "small", () => notice(api, id))),
        ...allowed(api, "manage", button("Delete the channel…", "small bad", () => this.remove()))),
      element("section", "card", element("h2", "", "Settings"), this.settings),
      element("section", "card", element("h2", "", "Secret"), this.secrets),
      element("section", "card flush", element("h2", "", "Bans and mutes"), this.sanctions),
    );
  }

  async load() {
    try {
      this.show(await this.api.get(path(this.id)));
    } catch (error) {
      this.settings.replaceChildren(problemNode(error));
    }
    this.loadSanctions();
  }

  /** Another administrator has changed the channel; what is being typed here stays. */
  async changedElsewhere() {
    if (this.isSaving) return;
    if (!this.settings.querySelector("form")?.classList.contains("touched")) await this.load();
    else toast("The channel was changed elsewhere. Save to see the conflict, or reload the page.", "bad");
  }

  show(channel) {
    this.channel = channel;
    const form = element("form", "", element("div", "form-grid", ...this.fieldsOf(channel)));
    const save = element("button", "main", "Save");
    save.type = "submit";
    if (this.api.may("manage")) form.append(element("div", "form-foot", save));
    else for (const input of form.querySelectorAll("input, select")) input.disabled = true;
    form.addEventListener("input", () => form.classList.add("touched"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save(form);
    });
    this.settings.replaceChildren(form);
    if (channel.history_rules.length > 0) {
      const rules = channel.history_rules.map(({ pattern, history }) => `${pattern}: ${historyText(history)}`).join("; ");
      form.prepend(element("p", "soft", `Rooms whose name matches a pattern keep something else than the history below: ${rules}.`));
    }
    if (channel.locked.length > 0) {
      const text = `A flag of the broker sets these; they cannot be changed here: ${channel.locked.join(", ")}.`;
      form.prepend(element("p", "soft", text));
    }
    this.showSecrets(channel);
  }

  fieldsOf(channel) {
    const { history, limits } = channel;
    const limit = { type: "number", min: 1, hint: "empty: the broker’s own limit" };
    return [
      field("Name, for people", "name", channel.name, { maxlength: 200 }),
      field("Tokens", "authentication", channel.authentication, { choices: AUTHENTICATION }),
      field("A token has to be valid", "token_expiry", channel.token_expiry, {
        choices: [["at_use", "when it is shown"], ["live", "as long as the session lasts"]],
      }),
      field("Rooms that show their members", "presence", channel.presence, {
        choices: [["ask", "all, to those who ask"], ["all", "all, to everybody"], ["prefix", "those named observable-…"]],
      }),
      ...historyFields(history),
      field("A stored message survives", "durability", channel.durability, {
        choices: [["process", "the end of the process"], ["power", "a power cut, too"]],
      }),
      field("Seconds to resume a session", "grace_seconds", channel.grace_seconds, FRACTION),
      field("Web origins that may connect", "allowed_origins", channel.allowed_origins.join(" "), {
        hint: "such as https://app.example, with spaces between",
      }),
      ...LIMITS.map(([key, text]) => field(text, `limit.${key}`, limits[key], limit)),
    ];
  }

  /** Sends only what differs. */
  async save(form) {
    const said = Object.fromEntries(new FormData(form));
    const { channel } = this;
    const change = {};
    for (const key of ["name", "authentication", "token_expiry", "presence", "durability"]) {
      if (said[key] !== channel[key]) change[key] = said[key];
    }
    if (Number(said.grace_seconds) !== channel.grace_seconds) change.grace_seconds = Number(said.grace_seconds);
    const origins = said.allowed_origins.split(/\s+/).filter(Boolean);
    if (origins.join(" ") !== channel.allowed_origins.join(" ")) change.allowed_origins = origins;
    const history = historyOf(said);
    if (history?.count !== channel.history?.count || history?.age_seconds !== channel.history?.age_seconds) {
      change.history = history;
    }
    for (const [key] of LIMITS) {
      const text = said[`limit.${key}`];
      const value = text === "" ? null : Number(text);
      if (value !== channel.limits[key]) (change.limits ??= {})[key] = value;
    }
    if (Object.keys(change).length === 0) toast("Nothing has changed");
    else if (keepsLess(change.history, channel.history)) this.confirmLess(change);
    else await this.send(change).then((text) => toast(text), (error) => toast(error.message, "bad"));
  }

  confirmLess(change) {
    const isOff = change.history === null;
    const kept = historyText({ ...this.channel.history, ...change.history });
    ask({
      title: isOff ? "Turn the history off?" : "Keep fewer messages?",
      text: isOff
        ? `All stored messages of the channel “${this.id}” are deleted, but for those of rooms that a rule names. This cannot be undone.`
        : `A room that no rule names keeps ${kept}. What rooms have beyond that is deleted. This cannot be undone.`,
      word: "Delete them",
      act: () => this.send(change),
    });
  }

  async send(change) {
    this.isSaving = true;
    try {
      this.show(await this.api.call("PATCH", path(this.id), change, { "If-Match": `"${this.channel.version}"` }));
      return "The settings are in effect";
    } finally {
      this.isSaving = false;
    }
  }

  // The secret

  showSecrets({ previous_secrets: previous }) {
    const text = previous.length === 0
      ? "Tokens are signed with it. Nobody can read it again; a new one takes its place."
      : `Earlier secrets are valid until ${previous.map((secret) => timeText(secret.expires_at)).join(" and ")}.`;
    const rotate = button("New secret…", "small", () => this.rotate());
    this.secrets.replaceChildren(element("p", "soft", text), ...allowed(
      this.api,
      "manage",
      element("div", "form-foot", rotate),
    ));
  }

  rotate() {
    ask({
      title: `New secret for ${this.id}?`,
      text: "Whoever makes tokens needs the new secret. The old one stays valid for as long as you say.",
      fields: [field("The old secret is valid for another", "overlap", "86400", { choices: OVERLAPS })],
      word: "Make a new secret",
      act: async ({ overlap }) => {
        const rotation = { overlap_seconds: Number(overlap) };
        const made = await this.api.call("POST", path(this.id, undefined, "/secret"), rotation);
        showSecret(`The new secret of ${this.id}`, SHOWN_ONCE, made.secret);
        await this.load();
      },
    });
  }

  // Bans and mutes

  async loadSanctions() {
    try {
      const page = await this.api.get(path(this.id, undefined, "/sanctions?limit=200"));
      const done = () => this.loadSanctions();
      const rows = page.sanctions.map((given) => [
        tag(given.kind, given.kind === "ban" ? "bad" : "warn"),
        element("bdi", "", subjectText(given)),
        given.room === undefined ? element("span", "soft", "the whole channel") : element("bdi", "", given.room),
        given.reason ?? "",
        given.expires ? timeText(given.expires) : "no end",
        element("span", "soft", actorText(given.author)),
        element("div", "acts", ...allowed(
          this.api,
          "moderate",
          button("Lift…", "act", () => lift(this.api, this.id, given, done)),
        )),
      ]);
      const columns = ["Kind", "For", "Where", "Reason", "Until", "By", ""];
      this.sanctions.replaceChildren(table(columns, rows, "Nobody is banned or muted."));
      const rest = `and ${countText(page.total - rows.length)} more; the command “roomline member bans” lists all`;
      if (page.next) this.sanctions.append(element("p", "none", rest));
    } catch (error) {
      this.sanctions.replaceChildren(problemNode(error));
    }
  }

  remove() {
    ask({
      title: `Delete the channel ${this.id}?`,
      text: "Its rooms, messages and secrets are deleted, and all its clients are disconnected. "
        + "This cannot be undone. Type its id to confirm.",
      fields: [field("Id of the channel", "id", "", { required: "", autocomplete: "off" })],
      word: "Delete the channel",
      act: async ({ id }) => {
        if (id !== this.id) throw new Error("That is not the id of this channel.");
        await this.api.call("DELETE", path(this.id));
        location.hash = "#/channels";
        return `The channel ${id} was deleted`;
      },
    });
  }
}
