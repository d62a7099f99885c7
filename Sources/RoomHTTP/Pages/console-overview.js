// The first view: what the broker does now, and has done in the last hour.

import { kick } from "./console-acts.js";
import { allowed, button, bytesText, countText, durationText, lastingText, link, rateText, table, who } from "./console-parts.js";
import { Plot, spark } from "./console-plot.js";
import { element } from "./text.js";

/** The samples in the small line of a tile: the last five minutes. */
const RECENT = 60;

const TILES = [
  ["Connections", (sample) => sample.connections, countText],
  ["Rooms with members", (sample) => sample.rooms, countText],
  ["Members", (sample) => sample.members, countText],
  ["Messages per second", (sample) => sample.publishes, rateText],
  ["Deliveries per second", (sample) => sample.deliveries, rateText],
  ["Memory", (sample) => sample.resident_bytes, bytesText],
];

export function overview({ figures, api, node }) {
  const tiles = TILES.map(([label, of, format]) => tile(label, of, format));
  const formats = new Plot("Connections by wire format", [], countText);
  const plots = [
    new Plot("Messages per second", [{ name: "accepted", of: (sample) => sample.publishes }], rateText),
    new Plot("Deliveries per second", [{ name: "delivered", of: (sample) => sample.deliveries }], rateText),
    new Plot("Commit latency", [
      { name: "median", of: (sample) => sample.commit_median },
      { name: "99 %", of: (sample) => sample.commit_99th },
    ], durationText),
    new Plot("Event loop latency", [
      { name: "99 %", of: (sample) => sample.loop_99th },
      { name: "longest", of: (sample) => sample.loop_longest },
    ], durationText),
    formats,
    new Plot("Memory", [{ name: "resident", of: (sample) => sample.resident_bytes }], bytesText, 2 ** 20),
  ];
  const slow = element("div");
  const busy = element("div");
  const note = "The plots show the last hour, as far as the broker has run.";
  const head = element("div", "head", element("h1", "", "Overview"), element("p", "soft", note));
  const facts = element("dl", "facts");
  node.append(
    head,
    facts,
    element("div", "tiles", ...tiles.map((made) => made.node)),
    element("div", "pair",
      element("section", "card flush", element("h2", "", "Members that read slowly"), slow),
      element("section", "card flush", element("h2", "", "Connections that wait for their turn"), busy)),
    element("div", "plots", ...plots.map((plot) => plot.node)),
  );
  return figures.on(() => {
    if (document.hidden) return;
    const { from, to, longest } = figures.span;
    facts.replaceChildren(...factsOf(figures));
    for (const made of tiles) made.draw(figures.samples);
    const names = Object.keys(figures.last.wire_formats);
    formats.series = names.map((name) => ({ name, of: (sample) => sample.wire_formats[name] }));
    for (const plot of plots) plot.draw(figures.samples, from, to, longest);
    slow.replaceChildren(slowTable(figures.statistics, api));
    busy.replaceChildren(busyTable(figures.statistics));
  });
}

/** Version, uptime, processor and disk. */
function factsOf({ statistics, processor }) {
  const { version, uptime_seconds: uptime, disk_free_bytes: free, disk_bytes: size } = statistics;
  const facts = [
    ["Version", version],
    ["Up for", lastingText(uptime)],
    // of one core: a broker with many event loops can use more than 100 %
    ["Processor", processor === undefined ? "–" : `${Math.round(processor * 100)} % of a core`],
    ["Disk", free === null ? "nothing is stored" : `${bytesText(free)} free of ${bytesText(size)}`],
  ];
  return facts.map(([key, value]) => element("div", "", element("dt", "", key), element("dd", "", value)));
}

function tile(label, of, format) {
  const value = element("p", "tile-value");
  const line = element("div");
  const node = element("section", "card tile-card", element("p", "tile-label", label), value, line);
  return {
    node,
    draw(samples) {
      value.textContent = format(of(samples.at(-1)));
      const values = samples.slice(-RECENT).map(of);
      line.replaceChildren(spark(values.slice(Math.max(0, values.findIndex((known) => known !== undefined)))));
    },
  };
}

function slowTable({ slow, slowest }, api) {
  const rows = slowest.map((member) => [
    who(member, member.id),
    link(member.room, `#/room/${encodeURIComponent(member.channel)}/${encodeURIComponent(member.room)}`),
    `${countText(member.lag)} behind`,
    element("div", "acts", ...allowed(
      api,
      "moderate",
      button("Kick…", "act bad", () => kick(api, member.channel, undefined, member)),
    )),
  ]);
  const made = table(["Member", "Room", "#Lag", ""], rows, "Nobody lags behind.");
  if (slow > slowest.length) made.append(element("p", "none", `and ${countText(slow - slowest.length)} more`));
  return made;
}

function busyTable({ busy, busiest }) {
  const rows = busiest.map((connection) => [
    connection.id ? who(connection, connection.id) : element("span", "soft", "HTTP, or without a session"),
    connection.address ?? "Unix socket",
    `${connection.loop_percent} %`,
  ]);
  const made = table(["Connection", "Address", "#Of its loop"], rows, "No connection uses more than its share.");
  if (busy > busiest.length) made.append(element("p", "none", `and ${countText(busy - busiest.length)} more`));
  return made;
}
