import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes ids that sort by the time they were made, also within one millisecond of one process. */
export type CreateId = <I extends string>(prefix: string) => I;

export function idMaker(clock: Pick<Clock, "now">, fill: (numbers: Uint32Array) => void = randomFillSync): CreateId {
  let last = 0;
  let counter = 0;
  let time = "";
  const pool = new Uint32Array(2 * 64);
  let used = pool.length;
  return <I extends string>(prefix: string) => {
    const now = clock.now();
    if (now > last) {
      last = now;
      counter = 0;
      time = encode(now, 10);
    } else counter += 1;
    if (used === pool.length) {
      fill(pool);
      used = 0;
    }
    const tail = digits(pool[used++]) + digits(pool[used++]);
    return `${prefix}_${time}${counter === 0 ? "0000" : encode(counter, 4)}${tail}` as I;
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

/** Thirty bits of it, in six digits; their order says nothing. */
const digits = (value = 0): string => (value & 0x3fffffff).toString(32).padStart(6, "0");
