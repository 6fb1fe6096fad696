import { closeSync, openSync, writeSync } from "node:fs";

/** A private file for output of any length. */
export interface CappedFile {
  /** Never throws. Synchronous, so that fast output blocks its source and does not pile up in memory. */
  write(chunk: Uint8Array): void;
  size(): number;
  /** Why the file does not contain all output, or undefined. */
  incomplete(): string | undefined;
  close(): void;
}

export function openCappedFile(path: string, limitBytes: number): CappedFile {
  const descriptor = openSync(path, "w", 0o600);
  let size = 0;
  let incomplete: string | undefined;
  const writeAll = (chunk: Uint8Array) => {
    for (let at = 0; at < chunk.length; ) {
      const written = writeSync(descriptor, chunk, at);
      at += written;
      size += written;
    }
  };
  return {
    size: () => size,
    incomplete: () => incomplete,
    close: () => closeSync(descriptor),
    write(chunk) {
      if (incomplete !== undefined) return;
      const room = limitBytes - size;
      try {
        writeAll(chunk.length > room ? chunk.subarray(0, room) : chunk);
        if (chunk.length <= room) return;
        incomplete = `only the first ${limitBytes} bytes were kept`;
        writeAll(Buffer.from(`\n[${incomplete}]\n`));
      } catch (error) {
        incomplete = `writing it failed after ${size} bytes: ${(error as Error).message}`;
      }
    },
  };
}
