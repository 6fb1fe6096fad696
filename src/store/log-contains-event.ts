import { type FileHandle, open } from "node:fs/promises";
import { decodeLine, hasErrorCode, storageError } from "../platform/index.ts";
import { StoredEnvelope, type StoredEvent } from "../protocol/index.ts";

export interface EventQuery {
  /** An id that occurs in the event. */
  readonly id: string;
  readonly matches: (event: StoredEvent) => boolean;
}

/** True if a log contains a matching event. Only lines with the id are parsed. */
export async function logContainsEvent(path: string, { id, matches }: EventQuery): Promise<boolean> {
  for await (const line of linesWith(path, id)) {
    const decoded = decodeLine(line);
    if (!decoded.ok) throw storageError("read", path, new Error(decoded.reason));
    const { data } = StoredEnvelope.safeParse(decoded.value);
    if (data !== undefined && matches(data.event)) return true;
  }
  return false;
}

const chunkBytes = 1 << 20;
const newline = 0x0a;

/** Yields the whole lines of a file that contain this text. A missing file has none. */
async function* linesWith(path: string, text: string): AsyncGenerator<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      // The text after the last newline is a whole line only if nothing follows.
      const data = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = bytesRead === 0 ? data.length : data.lastIndexOf(newline) + 1;
      const whole = data.subarray(0, end);
      for (let at = whole.indexOf(text); at >= 0; ) {
        const next = whole.indexOf(newline, at);
        const after = next < 0 ? whole.length : next;
        yield whole.subarray(whole.lastIndexOf(newline, at) + 1, after);
        at = whole.indexOf(text, after);
      }
      if (bytesRead === 0) return;
      rest = data.subarray(end);
    }
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return;
    throw storageError("read", path, error);
  } finally {
    await file?.close();
  }
}
