// The console: signs in, follows the broker's events, and shows the view that the address names.

import { API } from "./console-api.js";
import { audit } from "./console-audit.js";
import { channel, channels } from "./console-channels.js";
import { Figures } from "./console-figures.js";
import { overview } from "./console-overview.js";
import { tokens } from "./console-records.js";
import { room } from "./console-room.js";
import { rooms } from "./console-rooms.js";
import { element } from "./text.js";

const $ = (id) => document.getElementById(id);
const VIEWS = { overview, rooms, room, channels, channel, audit, tokens };
/** Each view with its name, the views below it, and the scope that it needs. */
const NAV = [
  ["overview", "Overview", ["overview"], "read"],
  ["rooms", "Rooms", ["rooms", "room"], "read"],
  ["channels", "Channels", ["channels", "channel"], "read"],
  ["audit", "Audit log", ["audit"], "moderate"],
  ["tokens", "Admin tokens", ["tokens"], "manage"],
];

/** Hands the broker's events to the view that is shown. */
class Events {
  listeners = new Set();

  on(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(name, data) {
    for (const listener of this.listeners) listener(name, data);
  }
}

const api = new API(showLogin);
const figures = new Figures(api);
const events = new Events();
let following;
let leave;

// The session

function showLogin(message) {
  following?.abort();
  following = undefined;
  figures.stop();
  close();
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  $("app").hidden = true;
  $("login").hidden = false;
  $("login-error").hidden = !message;
  $("login-error").textContent = message ?? "";
  $("login-token").value = "";
  $("login-token").focus();
}

function showApp() {
  $("nav").replaceChildren(...NAV.filter(([, , , scope]) => api.may(scope)).map(([name, text, views]) => {
    const made = element("a", "", text);
    made.href = `#/${name}`;
    made.views = views;
    return element("li", "", made);
  }));
  $("login").hidden = true;
  $("app").hidden = false;
  figures.start();
  following?.abort();
  following = new AbortController();
  let isAgain = false;
  api.follow("/events", {
    event: (name, data) => events.tell(name === "gap" || name === "overflow" ? "missed" : name, data),
    state(isLive) {
      $("live").dataset.state = isLive ? "live" : "waiting";
      $("live").textContent = isLive ? "Live" : "Reconnecting…";
      if (isLive && isAgain) events.tell("missed");
      isAgain ||= isLive;
    },
  }, following.signal);
  show();
}

async function signIn(proof) {
  try {
    await api.signIn(proof);
  } catch (error) {
    showLogin(error.message);
    return;
  }
  showApp();
}

// Views

/** The view and its arguments: `#/room/default/lobby`. */
function place() {
  try {
    const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
    const scope = NAV.find(([, , views]) => views.includes(name))?.[3];
    return { name: scope && api.may(scope) ? name : "overview", rest };
  } catch {
    // an address that nobody of ours made
    return { name: "overview", rest: [] };
  }
}

function close() {
  leave?.();
  leave = undefined;
  $("content").replaceChildren();
}

function show() {
  if (!following) return;
  const { name, rest } = place();
  close();
  for (const item of $("nav").querySelectorAll("a")) {
    if (item.views.includes(name)) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  leave = VIEWS[name]({ api, figures, events, node: $("content"), arguments: rest });
  const title = $("content").querySelector("h1")?.textContent.trim();
  document.title = `${title} – Roomline console`;
  scrollTo(0, 0);
}

$("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn({ token: $("login-token").value.trim() });
});
$("sign-out").addEventListener("click", () => api.signOut());
addEventListener("hashchange", () => {
  if (signInByLink()) return;
  show();
  $("content").focus({ preventScroll: true });
});

/** Whether the address is a link of `roomline console`. */
function signInByLink() {
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (!code) return false;
  // a code is good for one use: it has no place in the history of the browser
  history.replaceState(null, "", location.pathname);
  signIn({ code });
  return true;
}

/** Goes on with the session that this tab has had before it was loaded anew. */
async function resume() {
  try {
    await api.resume();
  } catch {
    // the session has ended
    showLogin();
    return;
  }
  showApp();
}

if (!signInByLink()) {
  if (api.csrf) resume();
  else showLogin();
}
