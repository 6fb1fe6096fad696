/** A seeded source of random choices. The same seed gives the same choices. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A separate source, whose choices do not depend on how many choices others have made. */
  fork(label: string): Random;
  fill(bytes: Uint8Array): void;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new Error("there is nothing to pick from");
      return items[Math.floor(next() * items.length)] as (typeof items)[number];
    },
    fork: (label) => createRandom(hash(`${seed}/${label}`)),
    fill: (bytes) => {
      for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(next() * 256);
    },
  };
}

/** A number from a text, the same on every machine. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
