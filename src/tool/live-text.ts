import { StringDecoder } from "node:string_decoder";
import { cleanText } from "./clean-text.ts";

/** Gathers output for watchers: a piece at most every `everyMs`, each the last `limit` characters of what came since. */
export interface LiveText {
  add(chunk: Uint8Array): void;
  flush(): void;
}

export function createLiveText(
  emit: (text: string) => void,
  { everyMs = 100, limit = 4096 }: { everyMs?: number; limit?: number } = {},
): LiveText {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = cleanText(pending);
    pending = "";
    if (text !== "") emit(text);
  };
  return {
    add(chunk) {
      pending = (pending + decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))).slice(-limit);
      timer ??= setTimeout(flush, everyMs);
    },
    flush,
  };
}
