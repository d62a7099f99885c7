// What the broker does, sampled every few seconds and kept for an hour, also across a reload of the page.

const EVERY = 5000;
const KEPT = 3_600_000;
const STORE_KEY = "roomline.console.samples";
const STORE_EVERY = 12;

export class Figures {
  constructor(api) {
    this.api = api;
    this.listeners = new Set();
    this.samples = this.restore();
    this.rooms = new Map();
  }

  start() {
    this.stop();
    this.take();
    this.timer = setInterval(() => this.take(), EVERY);
  }

  stop() {
    clearInterval(this.timer);
  }

  get last() {
    return this.samples.at(-1);
  }

  /** The time over which plots go, and the longest pause that is no hole in a line. */
  get span() {
    const to = Date.now();
    const first = this.samples[0]?.time ?? to;
    return { from: Math.max(to - KEPT, Math.min(first, to - 300_000)), to, longest: EVERY * 5 };
  }

  /** Calls the listener after each sample; returns a function that ends it. */
  on(listener) {
    this.listeners.add(listener);
    if (this.statistics) listener();
    return () => this.listeners.delete(listener);
  }

  async take() {
    if (this.isTaking) return;
    this.isTaking = true;
    try {
      const [statistics, metrics] = await Promise.all([this.api.get("/statistics"), this.metrics()]);
      this.statistics = statistics;
      this.add(sampleOf(statistics, metrics, this.before));
      this.before = { statistics, metrics, time: Date.now() };
      for (const listener of this.listeners) listener();
    } catch {
      // no answer is a hole in the plots; the state of the connection stands at the top of the page
    } finally {
      this.isTaking = false;
    }
  }

  /** Nothing where the broker shows no metrics, or not to this page. */
  async metrics() {
    try {
      return await this.api.metrics();
    } catch {
      // an ended session shows in the statistics
      return new Map();
    }
  }

  add(sample) {
    this.samples.push(sample);
    while (this.samples[0].time < Date.now() - KEPT) this.samples.shift();
    this.count = (this.count ?? 0) + 1;
    if (this.count % STORE_EVERY === 0) this.store();
  }

  store() {
    try {
      sessionStorage.setItem(STORE_KEY, JSON.stringify(this.samples));
    } catch {
      // no storage here: the plots begin again after a reload
    }
  }

  restore() {
    try {
      const samples = JSON.parse(sessionStorage.getItem(STORE_KEY)) ?? [];
      return samples.filter((sample) => sample.time > Date.now() - KEPT);
    } catch {
      return [];
    }
  }
}

function sampleOf(statistics, metrics, before) {
  const time = Date.now();
  const isSameProcess = before?.metrics.get("process_start_time_seconds") === metrics.get("process_start_time_seconds");
  const seconds = before && isSameProcess && time - before.time < EVERY * 5 ? (time - before.time) / 1000 : undefined;
  const rate = (key) => (seconds ? Math.max(0, (statistics[key] - before.statistics[key]) / seconds) : undefined);
  const changes = seconds ? [metrics, before.metrics] : undefined;
  return {
    time,
    connections: statistics.connections,
    rooms: statistics.rooms,
    members: statistics.members,
    slow: statistics.slow,
    publishes: rate("publishes"),
    deliveries: rate("deliveries"),
    memory: metrics.get("process_resident_memory_bytes"),
    commit50: changes && quantile("roomline_commit_duration_seconds", 0.5, ...changes),
    commit99: changes && quantile("roomline_commit_duration_seconds", 0.99, ...changes),
    loop99: changes && quantile("roomline_loop_latency_seconds", 0.99, ...changes),
    loopMost: mostOf(metrics, "roomline_loop_latency_max_seconds"),
    formats: Object.fromEntries(labelled(metrics, "roomline_connections", "wire_format")),
  };
}

/** The values of a metric by one of its labels. */
function labelled(metrics, name, label) {
  const found = [];
  for (const [key, value] of metrics) {
    if (!key.startsWith(`${name}{`)) continue;
    const text = new RegExp(`${label}="([^"]*)"`).exec(key)?.[1];
    if (text !== undefined) found.push([text, value]);
  }
  return found;
}

function mostOf(metrics, name) {
  const values = [...metrics].filter(([key]) => key.startsWith(name)).map(([, value]) => value);
  return values.length > 0 ? Math.max(...values) : undefined;
}

/** A quantile of what a histogram has counted since the sample before, interpolated within its bucket. */
function quantile(name, part, now, before) {
  const counts = new Map();
  for (const [key, value] of now) {
    if (!key.startsWith(`${name}_bucket`)) continue;
    const end = Number(/le="([^"]*)"/.exec(key)[1].replace("+Inf", "Infinity"));
    counts.set(end, (counts.get(end) ?? 0) + value - (before.get(key) ?? 0));
  }
  const buckets = [...counts].sort(([a], [b]) => a - b);
  const all = buckets.at(-1)?.[1] ?? 0;
  if (all <= 0) return undefined;
  let start = 0;
  let below = 0;
  for (const [end, count] of buckets) {
    if (count >= all * part) {
      return end === Infinity ? start : start + ((end - start) * (all * part - below)) / Math.max(1, count - below);
    }
    start = end;
    below = count;
  }
  return start;
}
