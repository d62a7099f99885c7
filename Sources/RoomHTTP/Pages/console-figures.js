// Figures of the broker: its statistics now, and its samples of the last hour.

const EVERY = 5000;
const KEPT = 3_600_000;

export class Figures {
  constructor(api) {
    this.api = api;
    this.listeners = new Set();
    this.samples = [];
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
    const to = this.last.time;
    return { from: Math.max(to - KEPT, Math.min(this.samples[0].time, to - 300_000)), to, longest: EVERY * 5 };
  }

  /** Calls the listener after each sample; returns a function that ends it. */
  on(listener) {
    this.listeners.add(listener);
    if (this.last) listener();
    return () => this.listeners.delete(listener);
  }

  async take() {
    if (this.isTaking) return;
    this.isTaking = true;
    try {
      const after = this.last ? `?after=${this.last.time}` : "";
      const [statistics, { samples }] = await Promise.all([
        this.api.get("/statistics"), this.api.get(`/figures${after}`),
      ]);
      this.processor = usedOf(statistics, this.statistics);
      this.statistics = statistics;
      for (const sample of samples) this.samples.push({ ...sample, time: Date.parse(sample.time) });
      while (this.last && this.samples[0].time < this.last.time - KEPT) this.samples.shift();
      if (this.last) for (const listener of this.listeners) listener();
    } catch {
      // no answer is a hole in the plots; the state of the connection stands at the top of the page
    } finally {
      this.isTaking = false;
    }
  }
}

/** The part of a core that the broker has used since the figures before, or since its start. */
function usedOf(now, before) {
  // a broker that was started meanwhile has counted anew
  const since = before && before.uptime_seconds < now.uptime_seconds ? before : { cpu_seconds: 0, uptime_seconds: 0 };
  const seconds = now.uptime_seconds - since.uptime_seconds;
  return seconds > 0 ? (now.cpu_seconds - since.cpu_seconds) / seconds : undefined;
}
