// Small line plots as SVG, without a library: the whole console needs two shapes of them.

import { element } from "./text.js";

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 480;
const HEIGHT = 160;
const LEFT = 52;
const BOTTOM = 20;
const GAP = 3;

function shape(name, attributes, ...content) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** A path through the points; where a value is missing, or much time lies between, the line has a hole. */
function lineOf(points, x, y, longest) {
  let path = "";
  let before;
  for (const [time, value] of points) {
    if (value === undefined || Number.isNaN(value)) before = undefined;
    else {
      const isStart = before === undefined || time - before > longest;
      path += `${isStart ? "M" : "L"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
      before = time;
    }
  }
  return path;
}

/** A line without axes, beside a number that says the newest value. `values` are evenly spaced. */
export function spark(values) {
  const most = Math.max(1e-9, ...values.filter((value) => value !== undefined));
  const points = values.map((value, index) => [index, value]);
  const x = (index) => (index / Math.max(1, values.length - 1)) * 100;
  const y = (value) => 26 - (value / most) * 23;
  const line = lineOf(points, x, y, 1);
  const svg = shape("svg", { class: "spark s0", viewBox: "0 0 100 28", preserveAspectRatio: "none" });
  svg.setAttribute("aria-hidden", "true");
  const known = points.filter(([, value]) => value !== undefined);
  if (known.length > 1 && values.every((value) => value !== undefined)) {
    svg.append(shape("path", { class: "area", d: `${line}L100 28L0 28Z` }));
  }
  svg.append(shape("path", { d: line }));
  return svg;
}

/** A plot over time with its title, keys and axes; `draw` gives it other data. */
export class Plot {
  /** @param series `{ name, of: (sample) => value }` each; `format` turns a value into text, in steps of `unit` */
  constructor(title, series, format, unit = 1) {
    Object.assign(this, { title, series, format, unit });
    this.keys = element("span", "keys");
    this.svg = shape("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.node = element("section", "card", element("div", "plot-head", element("h2", "", title), this.keys), this.svg);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.point());
  }

  draw(samples, from, to, longest) {
    Object.assign(this, { samples, from, to, longest });
    const values = this.series.flatMap(({ of }) => samples.map(of).filter((value) => value !== undefined));
    this.most = nice((Math.max(...values, 0) || this.unit) / this.unit) * this.unit;
    const isSame = this.width === this.svg.clientWidth;
    this.width = this.svg.clientWidth || this.width || WIDTH;
    if (!isSame) this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    const x = (time) => LEFT + ((time - from) / (to - from)) * (this.width - LEFT - GAP);
    const y = (value) => HEIGHT - BOTTOM - (value / this.most) * (HEIGHT - BOTTOM - 8);
    this.x = x;
    this.cursor = shape("line", { class: "cursor", y1: 8, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    this.svg.replaceChildren(
      ...[0, 0.5, 1].flatMap((part) => this.level(part * this.most, y)),
      ...this.times(x),
      ...this.series.map(({ of }, index) => {
        const points = samples.map((sample) => [sample.time, of(sample)]);
        return shape("path", { class: `s${index}`, d: lineOf(points, x, y, longest) });
      }),
      this.cursor,
    );
    this.say(samples.at(-1));
  }

  level(value, y) {
    const label = shape("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, this.format(value));
    return [shape("line", { class: "grid", x1: LEFT, x2: this.width, y1: y(value), y2: y(value) }), label];
  }

  times(x) {
    const step = this.to - this.from > 1_800_000 ? 900_000 : 300_000;
    const marks = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
      const anchor = x(time) > this.width - 24 ? "end" : "middle";
      const text = new Date(time).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
      if (x(time) > LEFT + 16) marks.push(shape("text", { x: x(time), y: HEIGHT - 4, "text-anchor": anchor }, text));
    }
    return marks;
  }

  /** The values of this moment, beside the names of the lines. */
  say(sample, time) {
    const texts = this.series.map(({ name, of }, index) => {
      const value = sample && of(sample);
      return element("span", `key s${index}`, `${name} `, element("b", "", this.format(value)));
    });
    this.keys.replaceChildren(...(time ? [element("span", "soft", time)] : []), ...texts);
    const now = texts.map((key) => key.textContent).join(", ");
    if (!time) this.svg.setAttribute("aria-label", `${this.title}: ${now || "no values"}`);
  }

  point(event) {
    if (!this.samples?.length) return;
    if (!event) {
      this.cursor.setAttribute("visibility", "hidden");
      this.say(this.samples.at(-1));
      return;
    }
    const at = event.offsetX;
    const nearest = this.samples.reduce((best, sample) =>
      (Math.abs(this.x(sample.time) - at) < Math.abs(this.x(best.time) - at) ? sample : best));
    this.cursor.setAttribute("visibility", "visible");
    this.cursor.setAttribute("x1", this.x(nearest.time));
    this.cursor.setAttribute("x2", this.x(nearest.time));
    this.say(nearest, new Date(nearest.time).toLocaleTimeString());
  }
}

/** The next number above that reads well on an axis. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * power).find((step) => step >= value);
}
