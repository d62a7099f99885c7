// A clock that stands still until the test advances it, in place of setTimeout, both clocks and Math.random. That of
// `Date` can be set, as a person sets that of a computer.

const real = { setTimeout, clearTimeout, now: Date.now, random: Math.random };
const monotonic = performance.now;
let now = 0;
let setBy = 0;
let lastID = 0;
let timers = new Map();

/** Runs everything that waits for a microtask. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

export function stopTime() {
  now = 3_600_000;
  setBy = Date.UTC(2025, 10, 21) - now;
  timers = new Map();
  globalThis.setTimeout = (work, pause) => {
    lastID += 1;
    timers.set(lastID, { at: now + pause, work });
    return lastID;
  };
  globalThis.clearTimeout = (id) => timers.delete(id);
  Date.now = () => now + setBy;
  performance.now = () => now;
  Math.random = () => 0.5;
}

export function resumeTime() {
  Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
  Date.now = real.now;
  performance.now = monotonic;
  Math.random = real.random;
}

/** Sets the clock of `Date` ahead by so many milliseconds, or back. */
export function setClock(milliseconds) {
  setBy += milliseconds;
}

/** Runs what is due on the way, in order. */
export async function advance(milliseconds) {
  const end = now + milliseconds;
  for (;;) {
    const due = [...timers].filter(([, { at }]) => at <= end);
    if (due.length === 0) break;
    const [id, { at, work }] = due.sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
    timers.delete(id);
    now = Math.max(now, at);
    work();
    await settled();
  }
  now = end;
  await settled();
}
