/** Repeats with its seed: mulberry32. */
export class SeededRandom {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 to `limit` - 1. */
  below(limit) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  chance(percent) {
    return this.below(100) < percent;
  }
}

/** 1 and 2, or what ROOMLINE_SEEDS says: `44` for one that failed, `1-500` for a long run. */
export function seeds() {
  const [first, last = first] = (process.env.ROOMLINE_SEEDS ?? "1-2").split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
