import { redactSecrets } from "./redact-secrets.ts";

/** `redactSecrets` for a stream of bytes. Finds a secret even if it is split across chunks. */
export interface RedactStream {
  /** Returns the bytes that can be passed on: complete lines outside private keys. */
  push(chunk: Uint8Array): Buffer;
  /** Returns the rest. More chunks may follow. */
  flush(): Buffer;
}

/** A longer line or private key is passed on in pieces. */
const heldLimit = 65_536;

export function createRedactStream(known: readonly string[] = []): RedactStream {
  // One character for each byte: all patterns are ASCII, and all other bytes pass unchanged.
  let held = "";
  const pass = (length: number): Buffer => {
    const text = held.slice(0, length);
    held = held.slice(length);
    return Buffer.from(redactSecrets(text, known), "latin1");
  };
  return {
    push(chunk) {
      held += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      const length = passable(held);
      return length === 0 ? empty : pass(length);
    },
    flush: () => pass(held.length),
  };
}

const empty = Buffer.alloc(0);

/** The beginning of a private key without its end. */
const openKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY)/;

function passable(held: string): number {
  const lines = held.lastIndexOf("\n") + 1;
  const key = held.slice(0, lines).search(openKey);
  const length = key >= 0 ? key : lines;
  return held.length - length > heldLimit ? held.length : length;
}
