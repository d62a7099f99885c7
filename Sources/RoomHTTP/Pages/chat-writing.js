// The field in which one writes: it grows, sends with Enter, and has a few emoji.

import { isMessage } from "./chat-commands.js";
import { element } from "./text.js";

const EMOJI = [
  ["😀", "grinning"], ["😂", "tears of joy"], ["😊", "smiling"], ["😍", "heart eyes"],
  ["😎", "sunglasses"], ["🤔", "thinking"], ["😴", "sleeping"], ["😢", "crying"],
  ["😮", "surprised"], ["😅", "sweating smile"], ["🙃", "upside down"], ["😇", "halo"],
  ["👍", "thumbs up"], ["👎", "thumbs down"], ["👏", "clapping"], ["🙏", "folded hands"],
  ["👋", "waving"], ["💪", "muscle"], ["👀", "eyes"], ["🤝", "handshake"],
  ["❤️", "heart"], ["🔥", "fire"], ["🎉", "party"], ["✨", "sparkles"],
  ["✅", "check mark"], ["❌", "cross"], ["❓", "question"], ["💡", "idea"],
  ["🚀", "rocket"], ["☕", "coffee"], ["🍕", "pizza"], ["🐛", "bug"],
];

export class Writing {
  /** @param actions `send(text)`, which says whether it has taken the text; `typing(isTyping)` */
  constructor({ form, field, send, emoji, emojiList }, memory, actions) {
    Object.assign(this, { form, field, button: send, emoji, emojiList, memory, actions });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    field.addEventListener("input", () => this.written());
    field.addEventListener("keydown", (event) => this.pressed(event));
    emoji.addEventListener("click", () => this.showEmoji(emojiList.hidden));
    emojiList.append(...EMOJI.map(([text, label]) => this.emojiButton(text, label)));
    emojiList.addEventListener("keydown", (event) => this.moveInEmoji(event));
    document.addEventListener("pointerdown", (event) => {
      const isInside = emojiList.contains(event.target) || emoji.contains(event.target);
      if (!emojiList.hidden && !isInside) this.showEmoji(false, false);
    });
  }

  /** The field now belongs to another room. */
  show(room) {
    this.room = room;
    this.field.value = this.memory.draft(room);
    this.sizeChanged();
  }

  /** A message that was not sent comes back into the field, before what is written there. */
  takeBack(text) {
    this.field.value = this.field.value ? `${text}\n${this.field.value}` : text;
    this.kept();
    this.field.focus();
  }

  kept() {
    this.memory.keepDraft(this.room, this.field.value);
    this.sizeChanged();
  }

  /** Whether nothing can be written; what is in the field stays there. */
  close(isClosed, placeholder) {
    this.field.disabled = isClosed;
    this.field.placeholder = isClosed ? "You cannot write here" : placeholder;
    this.form.classList.toggle("closed", isClosed);
    this.emoji.disabled = isClosed;
    this.sizeChanged();
  }

  written() {
    this.kept();
    this.actions.typing(isMessage(this.field.value));
  }

  sizeChanged() {
    this.button.disabled = this.field.disabled || this.field.value.trim() === "";
    this.field.style.height = "auto";
    if (this.field.value) this.field.style.height = `${this.field.scrollHeight}px`;
  }

  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.submit();
  }

  submit() {
    const text = this.field.value.trim();
    if (text === "" || this.field.disabled) return;
    // first: a command may show another room, with what is written there
    this.field.value = "";
    this.kept();
    if (this.actions.send(text)) return;
    this.field.value = text;
    this.kept();
  }

  // Emoji

  emojiButton(text, label) {
    const button = element("button", "", text);
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => {
      this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
      this.showEmoji(false);
      this.written();
    });
    return button;
  }

  showEmoji(isShown, takesFocus = true) {
    this.emojiList.hidden = !isShown;
    this.emoji.setAttribute("aria-expanded", String(isShown));
    if (isShown) this.emojiList.firstElementChild.focus();
    else if (takesFocus) this.field.focus();
  }

  moveInEmoji(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
    if (event.key === "Escape") this.showEmoji(false);
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...this.emojiList.children];
    buttons[buttons.indexOf(document.activeElement) + step]?.focus();
  }
}
