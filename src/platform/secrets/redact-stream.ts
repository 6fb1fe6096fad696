import { redactSecrets } from "./redact-secrets.ts";

/** `redactSecrets` for bytes that come in pieces: a secret that two pieces share is found all the same. */
export interface RedactStream {
  /** What can be passed on by now: whole lines, and nothing from within a private key. */
  push(chunk: Uint8Array): Buffer;
  /** What is left. More may be pushed afterwards. */
  flush(): Buffer;
}

/** A line, or a private key, that is longer than this is passed on in pieces. */
const heldLimit = 65_536;

export function createRedactStream(known: readonly string[] = []): RedactStream {
  // One character for each byte: all that is looked for is ASCII, and everything else comes out as it went in.
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

/** The beginning of a private key whose end has not come. */
const openKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY)/;

function passable(held: string): number {
  const lines = held.lastIndexOf("\n") + 1;
  const key = held.slice(0, lines).search(openKey);
  const length = key >= 0 ? key : lines;
  return held.length - length > heldLimit ? held.length : length;
}
