// The three dialogs: who one is, which room to join, and the token of a channel that wants one.

import { roomTile } from "./chat-people.js";
import { sentenceOf } from "./chat-words.js";
import { COLOURS, element, plural } from "./text.js";

const $ = (id) => document.getElementById(id);
const MOST_FOUND = 100;

/** Keeps a dialog open until it is answered: without the answer the page is of no use. */
function insist(dialog, isAnswered) {
  dialog.addEventListener("cancel", (event) => isAnswered() || event.preventDefault());
  // browsers close it at the second Escape, whatever the page says
  dialog.addEventListener("close", () => isAnswered() || dialog.showModal());
}

/** Asks for a name and a colour. */
export class ProfileDialog {
  constructor(done) {
    this.dialog = $("me-dialog");
    $("colours").append(...COLOURS.map((colour, index) => this.swatch(colour, index)));
    $("me-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const name = $("me-name").value.trim();
      if (!name) {
        $("me-name").value = "";
        $("me-form").reportValidity();
        return;
      }
      this.isFirst = false;
      // first: it gives the focus back to where it was
      this.dialog.close();
      done({ name, color: new FormData($("me-form")).get("colour") });
    });
    $("me-cancel").addEventListener("click", () => this.dialog.close());
    insist(this.dialog, () => !this.isFirst);
  }

  swatch(colour, index) {
    const input = element("input");
    input.type = "radio";
    input.name = "colour";
    input.value = colour;
    input.setAttribute("aria-label", ["Pink", "Orange", "Yellow", "Green", "Teal", "Blue", "Violet", "Purple"][index]);
    const swatch = element("span", "swatch", input);
    swatch.style.setProperty("--c", colour);
    return swatch;
  }

  /** @param profile who one is now, or undefined for the first time */
  open(profile) {
    this.isFirst = !profile;
    $("me-title").textContent = profile ? "You" : "Join the chat";
    $("me-text").textContent = profile
      ? "The others see the change at once."
      : "Choose how others see you.";
    $("me-ok").textContent = profile ? "Save" : "Join";
    $("me-cancel").hidden = this.isFirst;
    $("me-name").value = profile?.name ?? "";
    const colour = profile?.color ?? COLOURS[Math.floor(Math.random() * COLOURS.length)];
    for (const input of $("colours").querySelectorAll("input")) input.checked = input.value === colour;
    if (!$("colours").querySelector(":checked")) $("colours").querySelector("input").checked = true;
    this.dialog.showModal();
    $("me-name").select();
  }
}

/** Finds a room by its name, or makes one. */
export class RoomDialog {
  /** @param findRooms the names of the rooms with people in them */
  constructor(findRooms, join) {
    this.findRooms = findRooms;
    this.join = join;
    this.found = [];
    this.dialog = $("room-dialog");
    $("room-input").addEventListener("input", () => this.draw());
    $("room-cancel").addEventListener("click", () => this.dialog.close());
    $("room-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const name = $("room-input").value.trim();
      if (!name) return;
      this.dialog.close();
      this.join(name);
    });
  }

  async open() {
    $("room-input").value = "";
    this.found = [];
    this.say("Looking for rooms…");
    this.draw();
    this.dialog.showModal();
    $("room-input").focus();
    try {
      this.found = await this.findRooms();
      this.draw();
    } catch (error) {
      this.say(`${sentenceOf(error)} You can type the name of a room.`);
    }
  }

  draw() {
    const text = $("room-input").value.trim().toLowerCase();
    const fitting = this.found.filter((name) => name.toLowerCase().includes(text));
    $("found").replaceChildren(...fitting.slice(0, MOST_FOUND).map((name) => this.row(name)));
    if (this.found.length === 0) this.say("There are none now.");
    else if (fitting.length === 0) this.say("No room has a name like this: you can create it.");
    else if (fitting.length <= MOST_FOUND) this.say("");
    else this.say(`and ${plural(fitting.length - MOST_FOUND, "other", "others")}; type a part of the name`);
  }

  row(name) {
    const button = element("button", "", roomTile(name), element("bdi", "", name));
    button.type = "button";
    button.addEventListener("click", () => {
      this.dialog.close();
      this.join(name);
    });
    return element("li", "", button);
  }

  say(text) {
    $("found-note").textContent = text;
  }
}

/** Asks for a token. */
export class TokenDialog {
  constructor(done) {
    this.dialog = $("token-dialog");
    insist(this.dialog, () => this.isAnswered);
    $("token").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      $("token-form").requestSubmit();
    });
    const answer = (token) => {
      this.isAnswered = true;
      this.dialog.close();
      done(token);
    };
    $("token-form").addEventListener("submit", (event) => {
      event.preventDefault();
      answer($("token").value.replace(/\s+/g, ""));
    });
    $("token-none").addEventListener("click", () => answer(undefined));
  }

  open(channel, error) {
    const isWrong = error.code !== "authentication_required";
    $("token-title").textContent = `Sign in to ${channel}`;
    $("token-text").textContent = isWrong
      ? "Paste another token, or go on without one."
      : "This channel admits only people with a token. Paste the token that you were given.";
    $("token-error").hidden = !isWrong;
    $("token-error").textContent = isWrong ? sentenceOf(error) : "";
    $("token").value = "";
    this.isAnswered = false;
    if (!this.dialog.open) this.dialog.showModal();
  }
}
