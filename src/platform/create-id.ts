import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates ids that sort by creation time, even within one millisecond of one process. */
export type CreateId = <I extends string>(prefix: string) => I;

export function createIdFactory(
  clock: Pick<Clock, "now">,
  fill: (bytes: Uint8Array) => void = randomFillSync,
): CreateId {
  let last = 0;
  let counter = 0;
  let time = "";
  const pool = Buffer.alloc(tailLength * 64);
  let tails = "";
  let used = 0;
  return <I extends string>(prefix: string) => {
    const now = clock.now();
    if (now > last) {
      last = now;
      counter = 0;
      time = encode(now, 10);
    } else counter += 1;
    if (used === tails.length) {
      tails = randomDigits(pool, fill);
      used = 0;
    }
    const tail = tails.slice(used, (used += tailLength));
    return `${prefix}_${time}${counter < 32 ? `000${alphabet[counter]}` : encode(counter, 4)}${tail}` as I;
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

const tailLength = 12;

/** Uses five bits of each byte, for many ids at once: random bytes for each single id would slow a send by a tenth. */
function randomDigits(pool: Buffer, fill: (bytes: Uint8Array) => void): string {
  fill(pool);
  for (let at = 0; at < pool.length; at++) pool[at] = alphabet.charCodeAt((pool[at] ?? 0) % 32);
  return pool.toString("latin1");
}
