import { redactSecrets } from "../platform/index.ts";
import { cleanText } from "./clean-text.ts";

/** Gathers output for watchers: a piece at most every `everyMs`, each the last `limit` bytes of what came since. */
export interface LiveText {
  add(chunk: Uint8Array): void;
  flush(): void;
}

export function createLiveText(
  emit: (text: string) => void,
  { everyMs = 100, limit = 4096 }: { everyMs?: number; limit?: number } = {},
): LiveText {
  let pending = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const whole = wholeLength(pending);
    const text = redactSecrets(cleanText(pending.subarray(0, whole).toString("utf8")));
    pending = Buffer.from(pending.subarray(whole));
    if (text !== "") emit(text);
  };
  return {
    add(chunk) {
      const rest = chunk.subarray(-limit);
      pending = Buffer.concat([pending.subarray(Math.max(0, pending.length + rest.length - limit)), rest]);
      timer ??= setTimeout(flush, everyMs);
    },
    flush,
  };
}

/** Without the beginning of a character whose other bytes are still to come. */
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
