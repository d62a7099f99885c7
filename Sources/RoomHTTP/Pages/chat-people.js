// The list of rooms, and the list of people in the shown one.

import { avatar, colourOf, element, lineOf, nameKey, nameOf, plural, userOf, userText, whenText } from "./text.js";

const MOST_PEOPLE = 200;

export function roomTile(name) {
  const tile = element("span", "tile", [...name][0]?.toUpperCase() ?? "#");
  tile.setAttribute("aria-hidden", "true");
  return tile;
}

/** Keeps one button per room, so that the focus stays where it is. */
export class RoomList {
  constructor(list, open) {
    this.list = list;
    this.open = open;
    this.items = new Map();
  }

  draw(rooms, shown) {
    for (const [name, item] of this.items) {
      if (rooms.has(name)) continue;
      item.node.remove();
      this.items.delete(name);
    }
    for (const room of rooms.values()) this.drawRoom(room, room === shown);
  }

  drawRoom(room, isShown) {
    const item = this.items.get(room.name) ?? this.add(room.name);
    const last = room.last;
    if (isShown) item.button.setAttribute("aria-current", "true");
    else item.button.removeAttribute("aria-current");
    item.when.textContent = last ? whenText(last.time) : "";
    const said = last ? lineOf(last, last.isOwn ? "You" : last.name, 120) : "";
    item.last.textContent = room.state === "ended" ? "You are not in this room" : said;
    item.badge.hidden = room.unread === 0;
    item.badge.textContent = `${room.mentions > 0 ? "@" : ""}${room.unread > 999 ? "999+" : room.unread}`;
    const named = room.mentions > 0 ? `, ${plural(room.mentions, "names", "name")} you` : "";
    item.badge.setAttribute("aria-label", plural(room.unread, "unread message", "unread messages") + named);
  }

  add(name) {
    const title = element("bdi", "name", name);
    const when = element("span", "when");
    const last = element("bdi", "last");
    const badge = element("span", "badge");
    badge.setAttribute("role", "img");
    const button = element("button", "room-item", roomTile(name), title, when, last, badge);
    button.type = "button";
    button.title = name;
    button.addEventListener("click", () => this.open(name));
    const item = { node: element("li", "", button), button, title, when, last, badge };
    this.items.set(name, item);
    this.list.append(item.node);
    return item;
  }
}

/** The button that opens the menu of a moderator. */
export function moreButton(label, open) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#i-more");
  icon.append(use);
  const button = element("button", "more", icon);
  button.type = "button";
  button.setAttribute("aria-label", label);
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => open(button));
  return button;
}

/** Draws the people of a room; `me` is the id of this client, `moderate` opens the menu of a moderator, if one is. */
export function drawPeople(room, me, { list, note, title, moderate }) {
  const hasPresence = room?.members !== undefined;
  const people = hasPresence
    ? [...room.members.values()].map(personOf)
    : [...(room?.speakers.values() ?? [])].reverse();
  if (hasPresence) people.sort((a, b) => (b.id === me) - (a.id === me) || a.name.localeCompare(b.name));
  title.textContent = hasPresence ? `Here: ${room.memberCount.toLocaleString()}` : "Wrote lately";
  const isMe = ({ id }) => id === me || room.isOwnID(id);
  list.replaceChildren(...people.slice(0, MOST_PEOPLE).map((person) => {
    return personNode(room, person, isMe(person), moderate);
  }));
  const hidden = hasPresence ? room.memberCount - Math.min(people.length, MOST_PEOPLE) : 0;
  note.hidden = hasPresence ? hidden <= 0 : room?.state !== "in";
  note.textContent = hasPresence
    ? `and ${plural(hidden, "other", "others")}`
    : "This channel does not show who is in its rooms.";
}

export function personOf(member) {
  return { id: member.id, user: userOf(member), name: nameOf(member), colour: colourOf(member, member.id) };
}

/**
 * Tells a person from others who were seen under the name: the user, or the beginning of the id; "" where there is none. A name that
 * looks as if it had such a mark has one, too.
 */
export function markOf(room, { id, user, name }) {
  const isMarked = room?.shared.has(nameKey(name)) || endsAsMarked(name);
  return isMarked ? identityText(room, { id, user }) : "";
}

function identityText(room, { id, user }) {
  const known = user ?? room?.users.get(id);
  return known === undefined ? id.slice(0, 5) : userText(known);
}

function endsAsMarked(name) {
  return nameKey(name).trimEnd().endsWith(")");
}

/** Who is here, in one line. */
export function namesOf(room) {
  const people = [...room.members.values()].map(personOf).sort((a, b) => a.name.localeCompare(b.name));
  const names = people.slice(0, MOST_PEOPLE).map((person) => {
    const mark = markOf(room, person);
    return mark ? `${person.name} (${mark})` : person.name;
  });
  const others = room.memberCount - names.length;
  return [...new Set(names), ...(others > 0 ? [`and ${plural(others, "other", "others")}`] : [])].join(", ");
}

/** The name of a person whom a moderator acts on, told from all others of the name who are here or have written. */
export function labelOf(room, { id, user, name }) {
  const mark = identityText(room, { id, user });
  return (room.countOf(name) > 1 || endsAsMarked(name)) && mark !== name ? `${name} (${mark})` : name;
}

function personNode(room, person, isMe, moderate) {
  const mark = markOf(room, person);
  const name = element("bdi", "", person.name);
  const text = element("span", "person-name", name);
  if (mark) text.append(element("small", "", mark));
  if (isMe) text.append(element("small", "", "you"));
  const node = element("li", "person", avatar(person.name, person.colour, "mini"), text);
  if (moderate && !isMe) node.append(moreButton(`Moderate ${labelOf(room, person)}`, (button) => moderate(button, { person })));
  return node;
}

/** "Han is typing", as nodes; nothing if nobody is. */
export function typingNodes(room) {
  const names = [...(room?.typists.values() ?? [])].map((typist) => typist.name);
  if (names.length === 0) return [];
  const dots = element("span", "dots", element("i"), element("i"), element("i"));
  dots.setAttribute("aria-hidden", "true");
  const shown = names.slice(0, 2).flatMap((name, index) => [index > 0 ? " and " : "", element("bdi", "", name)]);
  const end = names.length > 2 ? [" and others are typing"] : [names.length === 1 ? " is typing" : " are typing"];
  return [dots, ...shown, ...end];
}
