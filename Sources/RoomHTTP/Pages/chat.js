// The chat page: brings the connection, the rooms and what is on the screen together.

import { commandOf, HELP, typedOf } from "./chat-commands.js";
import { ProfileDialog, RoomDialog, TokenDialog } from "./chat-dialogs.js";
import { Memory } from "./chat-memory.js";
import { drawPeople, namesOf, RoomList, typingNodes } from "./chat-people.js";
import { Session } from "./chat-session.js";
import { sentenceOf } from "./chat-words.js";
import { avatar, isColour, lineOf, plural } from "./text.js";
import { Timeline } from "./chat-timeline.js";
import { Writing } from "./chat-writing.js";

const $ = (id) => document.getElementById(id);
/** The rooms of a newcomer: that of everybody else, in the terminal and at nc, too. */
const FIRST_ROOMS = ["lobby"];
const SPOKEN_EVERY = 1500;
const LOST = "The connection is lost. Reconnecting…";
const STATES = {
  idle: "Not connected",
  connecting: "Connecting…",
  connected: "Connected",
  waiting: "Reconnecting…",
  closed: "Disconnected",
};
/** The ends that the broker explains in a sentence of its own. */
const EXPLAINED = new Set(["kicked", "banned"]);
const LONGEST_NAME = 60;

const DEFAULT_CHANNEL = "default";
const memory = new Memory(new URLSearchParams(location.search).get("channel") || DEFAULT_CHANNEL);
/** A promise, from the first menu on. */
let moderation;
const session = new Session(memory, { stateChanged, roomChanged, wantsToken, profileRefused });
const timeline = new Timeline($("scroll"), $("messages"), {
  needOlder,
  moved,
  retry: (entry) => shown.outbox.retry(entry),
  takeBack: (entry) => {
    shown.outbox.discard(entry);
    writing.takeBack(typedOf(entry.text));
  },
  discard: (entry) => shown.outbox.discard(entry),
  mayModerate: () => session.mayModerate(shown),
  moderate,
});
const writing = new Writing(
  { form: $("write-form"), field: $("write"), send: $("send"), emoji: $("emoji"), emojiList: $("emoji-list") },
  memory,
  { send, typing: (isTyping) => shown?.room?.typing(isTyping) },
);
const roomList = new RoomList($("room-list"), (name) => show(name));
const profileDialog = new ProfileDialog(profileChosen);
const roomDialog = new RoomDialog(() => session.findRooms(), (name) => {
  show(name);
  $("write").focus();
});
const tokenDialog = new TokenDialog((token) => {
  session.signIn(token);
  // what one may do with the token is another
  timeline.show(shown);
  drawRoom();
  $("write").focus();
});

let shown;
let countdown;
/** The parts that the next frame draws. */
const stale = new Set();

function wantsToken(error) {
  tokenDialog.open(memory.channel, error);
}

// Rooms

function roomInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/**
 * Shows the room, which is joined if it was not yet. `step` says what becomes of the history of the tab: the room is one
 * more `"step"` in it, is its `"same"` step, or the history is there `"already"`.
 */
function show(name, step = "step") {
  const room = session.open(name);
  room.isBeingRead = isBeingRead;
  if (room !== shown) {
    // a panel that was open is no step of its own: Back leads to the room before
    const isStep = step === "step" && shown !== undefined && !isPanel(history.state);
    if (shown) shown.markSeq = undefined;
    // it is about the room before
    document.querySelector("dialog.act")?.close();
    moderation?.then((menu) => menu.close(), () => {});
    shown = room;
    if (step !== "already") keepPlace({ side: "room" }, isStep);
    writing.show(name);
    timeline.show(room);
    session.lookUpRules(room);
    setSide("room");
  } else if (step !== "already") closePanel();
  drawRoom();
  if (matchMedia("(hover: hover)").matches) $("write").focus();
}

function leave(room = shown) {
  session.leave(room);
  if (room !== shown) return drawList();
  const next = session.rooms.values().next().value;
  shown = undefined;
  if (next) show(next.name, "same");
  else {
    keepPlace({ side: "room" });
    timeline.show(undefined);
    drawRoom();
    roomDialog.open();
  }
}

// The history of the tab: Back goes to the room before, and closes a panel that covers the room

const isPanel = (state) => state?.side === "rooms" || state?.side === "people";

/** What is shown has a place in the history: a step of its own, or the present one. */
function keepPlace(state, isStep = false) {
  const address = shown ? `#${encodeURIComponent(shown.name)}` : location.pathname + location.search;
  if (isStep) history.pushState(state, "", address);
  else history.replaceState(state, "", address);
}

function openPanel(side) {
  if ($("app").dataset.side === side) return;
  keepPlace({ side }, !isPanel(history.state));
  setSide(side);
}

function closePanel() {
  setSide("room");
  // the step of the panel is taken back
  if (isPanel(history.state)) history.back();
}

addEventListener("popstate", ({ state }) => {
  // an address that somebody has typed or followed: `hashchange` goes there
  if (!session.client || !state) return;
  const name = roomInAddress();
  if (session.rooms.has(name)) show(name, "already");
  // a room that one has left meanwhile
  else keepPlace(state);
  setSide(state.side);
});

function stateChanged() {
  drawState();
  if (shown) session.lookUpRules(shown);
}

function roomChanged(room, what) {
  if (room === shown) {
    if (what === "older") drawOlder();
    else if (what === "cleared") timeline.show(room);
    else if (what === "people" || what === "typing" || what === "state") stale.add(what);
    else timeline.changed();
    if (what === "state") session.lookUpRules(room);
    if (what === "entries") speak(room);
    // who wrote lately
    if (what === "entries" && !room.members) stale.add("people");
  }
  stale.add("list");
  drawSoon();
}

/** Opens the menu of a moderator at the button. */
async function moderate(button, target) {
  const room = shown;
  moderation ??= import("./chat-moderation.js").then(({ Moderation }) => new Moderation(tell));
  const menu = await moderation;
  if (room === shown) menu.open(button, room, target);
}

/** Says something in the room that nobody else sees. */
function tell(room, text) {
  room.add(room.line("done", text));
  roomChanged(room, "entries");
}

/** Sends what was typed, or does it; says whether it has. */
function send(text) {
  if (!shown) return false;
  const { say, act, argument, problem } = commandOf(text);
  const trouble = problem ?? (act && COMMANDS[act](argument));
  if (say !== undefined) shown.send(say);
  if (trouble) tell(shown, trouble);
  timeline.toEnd();
  return !trouble;
}

/** What the commands do; they return what was wrong. */
const COMMANDS = {
  who: () => tell(shown, shown.members ? `Here: ${namesOf(shown)}` : "This channel does not show who is in its rooms."),
  help: () => tell(shown, HELP.join("\n")),
  join: (name) => show(name),
  leave(name) {
    const room = name ? session.rooms.get(name) : shown;
    if (!room) return `You are not in the room ${name}.`;
    leave(room);
  },
  name(name) {
    if (!name) profileDialog.open(session.me);
    else if (name.length > LONGEST_NAME) return `A name has at most ${LONGEST_NAME} characters.`;
    else profileChosen({ ...session.me, name });
  },
  color(color) {
    if (!color) profileDialog.open(session.me);
    else if (!isColour(color)) return "A colour is such as #2e7d32. Without one, /color shows some.";
    else profileChosen({ ...session.me, color });
  },
};

// Reading

function isBeingRead(room) {
  return room === shown && document.hasFocus() && timeline.isFollowing;
}

function moved() {
  if (!shown) return;
  if (isBeingRead(shown)) shown.markRead();
  $("jump").hidden = timeline.isFollowing;
  const { unread } = shown;
  $("jump-text").textContent = unread > 0 ? plural(unread, "new message", "new messages") : "Newest messages";
  stale.add("empty");
  drawSoon();
}

async function needOlder() {
  if (timeline.drawOlder()) return;
  await shown?.loadOlder();
}

function drawOlder() {
  if (!timeline.drawOlder()) stale.add("empty");
}

let spoken = [];
let lastSpoken;
/** Tells a screen reader about new messages, but not more often than it can speak. */
function speak(room) {
  const entry = room.entries.at(-1);
  if (!entry || entry === lastSpoken || entry.isOwn) return;
  lastSpoken = entry;
  if (spoken.push(entry) > 1) return;
  setTimeout(() => {
    const texts = spoken.map((entry) => (entry.kind === "line" ? entry.text : lineOf(entry, entry.name, 300)));
    $("heard").textContent = texts.length <= 3 ? texts.join(". ") : plural(texts.length, "new message", "new messages");
    spoken = [];
  }, SPOKEN_EVERY);
}

// Drawing

let frame = 0;
function drawSoon() {
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    if (stale.has("list")) drawList();
    if (stale.has("people") || stale.has("state")) drawWho();
    if (stale.has("people")) timeline.peopleChanged();
    if (stale.has("typing")) $("typing").replaceChildren(...typingNodes(shown));
    if (stale.has("state")) drawState();
    if (stale.has("empty") || stale.has("state")) drawEmpty();
    stale.clear();
  });
}

function drawList() {
  roomList.draw(session.rooms, shown);
  let others = 0;
  let all = 0;
  for (const room of session.rooms.values()) {
    all += room.unread;
    if (room !== shown) others += room.unread;
  }
  $("other-unread").hidden = others === 0;
  $("other-unread").textContent = others > 99 ? "99+" : String(others);
  document.title = `${all > 0 ? `(${all}) ` : ""}${shown ? `${shown.name} – ` : ""}Roomline chat`;
}

function drawRoom() {
  $("room-name").textContent = shown?.name ?? "No room";
  $("leave-room").hidden = !shown;
  $("moderate-room").hidden = !shown || !session.mayModerate(shown);
  $("typing").replaceChildren(...typingNodes(shown));
  drawList();
  drawWho();
  drawState();
  drawEmpty();
}

function drawWho() {
  const nodes = { list: $("people-list"), note: $("people-note"), title: $("people-title") };
  drawPeople(shown, session.id, { ...nodes, moderate: shown && session.mayModerate(shown) ? moderate : undefined });
  $("room-sub").textContent = !shown ? ""
    : shown.members ? plural(shown.memberCount, "person here", "people here")
    : { joining: "Joining…", in: "Members are not shown" }[shown.state] ?? "";
}

function drawEmpty() {
  const isEmpty = !shown || (shown.entries.length === 0 && shown.pending.length === 0);
  $("empty").hidden = !isEmpty;
  $("messages").hidden = isEmpty;
  if (!isEmpty) return;
  const [title, text] = !shown ? ["You are in no room", "Join one, or create one of your own."]
    : shown.state === "joining" ? ["", ""]
    : shown.state === "ended" ? ["You are not in this room", ""]
    : ["Nobody has written here yet", "Say hello."];
  $("empty").children[0].textContent = title;
  $("empty").children[1].textContent = text;
}

/** The state of the connection and of the room. */
function drawState() {
  clearTimeout(countdown);
  const { state, error, retryIn, since } = session.state;
  $("state").dataset.state = { connected: "online", closed: "ended" }[state] ?? "connecting";
  setText($("state"), STATES[state] ?? state);
  const wasConnected = Boolean(session.id);
  if (state === "closed") {
    const isUnknown = error?.code === "unknown_channel";
    const text = isUnknown ? `${sentenceOf(error, memory.channel)} The address of this page names another one: ?channel=NAME` : undefined;
    banner(text ?? endText("The connection has ended.", error), "bad", "Connect again", () => session.start(), isUnknown);
  } else if (state === "waiting") {
    session.state.since = since ?? performance.now();
    const left = Math.ceil((session.state.since + (retryIn ?? 0) - performance.now()) / 1000);
    const what = wasConnected ? LOST : "The broker does not answer. Trying again…";
    banner(left > 1 ? `${what} Next attempt in ${left} s.` : what, "warn", "Try now", () => session.tryNow());
    if (left > 0) countdown = setTimeout(drawState, 1000);
  } else if (state === "connecting" && session.isLost && wasConnected) banner(LOST, "warn");
  else if (shown?.state === "ended") {
    const { error } = shown;
    banner(endText("You are not in this room.", error), "bad", "Join again", () => session.join(shown));
  } else banner();
  const muted = shown?.state === "ended" ? undefined : shown?.mutedText;
  writing.close(!shown || shown.state === "ended" || Boolean(muted), `Write to ${shown?.name ?? ""}`);
  setText($("why"), muted ?? shown?.closed ?? "");
  $("why").hidden = $("why").textContent === "";
}

function endText(what, error) {
  if (!error) return what;
  return EXPLAINED.has(error.code) ? sentenceOf(error) : `${what} ${sentenceOf(error)}`;
}

let bannerAction;
function banner(text, kind, label, action, leadsAway = false) {
  $("banner").hidden = !text;
  if (!text) return;
  $("banner").dataset.kind = kind;
  setText($("banner-text"), text);
  $("banner-button").hidden = !label;
  setText($("banner-button"), label ?? "");
  $("banner-link").hidden = !leadsAway || memory.channel === DEFAULT_CHANNEL;
  $("banner-link").href = location.pathname;
  setText($("banner-link"), `Go to the channel ${DEFAULT_CHANNEL}`);
  bannerAction = action;
}

/** Only what differs, so that a screen reader says it once. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function drawMe() {
  const me = session.me;
  const drawn = avatar(me.name, me.color);
  drawn.id = "my-avatar";
  $("my-avatar").replaceWith(drawn);
  $("my-name").textContent = me.name;
}

/** The others go on seeing the name and the colour before. */
function profileRefused(error) {
  drawMe();
  if (shown) tell(shown, `Your name was not changed: ${sentenceOf(error)}`);
}

/** On a narrow page there is one side at a time. */
function setSide(side) {
  $("app").dataset.side = side;
  if (!isWide.matches) $("show-people").setAttribute("aria-expanded", String(side === "people"));
}

// Beginning

function profileChosen(profile) {
  const isFirst = !memory.profile;
  if (isFirst) memory.profile = profile;
  else session.setProfile(profile);
  drawMe();
  if (!isFirst) return;
  begin();
  $("write").focus();
}

function begin() {
  drawMe();
  const remembered = memory.rooms ?? FIRST_ROOMS;
  const asked = roomInAddress();
  for (const name of remembered) session.open(name).isBeingRead = isBeingRead;
  session.start();
  const first = asked || remembered[0];
  if (first) show(first);
  else drawRoom();
}

const isWide = matchMedia("(min-width: 1021px)");
function showPeople(isShown) {
  if (isWide.matches) $("app").classList.toggle("no-people", !isShown);
  else if (isShown) openPanel("people");
  else closePanel();
  $("show-people").setAttribute("aria-expanded", String(isShown));
}
/** The room above or below the shown one in the list. */
function showNext(step) {
  const names = [...session.rooms.keys()];
  const next = names[(names.indexOf(shown?.name) + step + names.length) % names.length];
  if (next) show(next);
}

$("find-room").addEventListener("click", () => roomDialog.open());
$("edit-me").addEventListener("click", () => profileDialog.open(session.me));
$("leave-room").addEventListener("click", () => leave());
$("moderate-room").addEventListener("click", ({ currentTarget }) => moderate(currentTarget, {}));
$("show-rooms").addEventListener("click", () => {
  openPanel("rooms");
  roomList.items.get(shown?.name)?.button.focus();
});
$("show-people").addEventListener("click", () => showPeople($("show-people").getAttribute("aria-expanded") !== "true"));
$("hide-people").addEventListener("click", () => {
  showPeople(false);
  $("show-people").focus();
});
$("jump").addEventListener("click", () => {
  timeline.toEnd();
  $("write").focus();
});
$("banner-button").addEventListener("click", () => bannerAction?.());
addEventListener("focus", moved);
addEventListener("pagehide", () => {
  memory.save();
  // else a page that is loaded again would be there twice for a while
  session.client?.close();
});
addEventListener("pageshow", (event) => event.persisted && session.client && session.start());
addEventListener("hashchange", () => {
  if (!history.state && roomInAddress() && session.client) show(roomInAddress(), "same");
});
addEventListener("keydown", (event) => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (event.altKey && step && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    showNext(step);
  } else if (event.key === "Escape" && !isWide.matches && $("app").dataset.side === "people") showPeople(false);
});

if (!isWide.matches) $("show-people").setAttribute("aria-expanded", "false");
if (memory.profile) begin();
else profileDialog.open();
