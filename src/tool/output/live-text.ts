import { createRedactStream } from "../../platform/index.ts";
import { cleanText } from "./clean-text.ts";

/**
 * Collects output for viewers: one piece at most every `everyMs`, with the last `limit` bytes of the new lines. Secrets
 * (by form or listed in `secrets`) are redacted, also when they span two pieces.
 */
export interface LiveText {
  add(chunk: Uint8Array): void;
  /** Sends the rest at the end, including an unfinished line. */
  flush(): void;
}

export interface LiveTextOptions {
  readonly secrets?: readonly string[] | undefined;
  readonly everyMs?: number;
  readonly limit?: number;
}

export function createLiveText(
  emit: (text: string) => void,
  { secrets, everyMs = 100, limit = 4096 }: LiveTextOptions = {},
): LiveText {
  const redact = createRedactStream(secrets);
  let pending = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  const keep = (safe: Buffer) => {
    const rest = safe.subarray(-limit);
    pending = Buffer.concat([pending.subarray(Math.max(0, pending.length + rest.length - limit)), rest]);
  };
  const show = () => {
    clearTimeout(timer);
    timer = undefined;
    const whole = wholeLength(pending);
    const text = cleanText(pending.subarray(0, whole).toString("utf8"));
    pending = Buffer.from(pending.subarray(whole));
    if (text !== "") emit(text);
  };
  return {
    add(chunk) {
      keep(redact.push(chunk));
      if (pending.length > 0) timer ??= setTimeout(show, everyMs);
    },
    flush() {
      keep(redact.flush());
      show();
    },
  };
}

/** Returns the length without an incomplete UTF-8 character at the end. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
