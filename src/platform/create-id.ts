import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids that sort by the time they were made, also within one millisecond of one process. */
export type CreateId = <I extends string>(prefix: string) => I;

export function idMaker(clock: Pick<Clock, "now">, fill: (bytes: Uint8Array) => void = randomFillSync): CreateId {
  let last = 0;
  let counter = 0;
  const pool = new Uint8Array(12 * 64);
  let used = pool.length;
  return <I extends string>(prefix: string) => {
    const now = Math.max(clock.now(), last);
    counter = now === last ? counter + 1 : 0;
    last = now;
    if (used === pool.length) {
      fill(pool);
      used = 0;
    }
    let tail = "";
    for (let i = 0; i < 12; i++) tail += alphabet[(pool[used++] ?? 0) & 31];
    return `${prefix}_${encode(now, 10)}${encode(counter, 4)}${tail}` as I;
  };
}

function encode(value: number, width: number): string {
  let text = "";
  for (let rest = value, i = 0; i < width; i++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
