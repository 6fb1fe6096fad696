import { writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hasErrorCode } from "../../../src/platform/index.ts";
import type { Envelope } from "../../../src/protocol/index.ts";
import type { Session } from "../../../src/session/session.ts";

/** A small disk that a test fills to the last byte and frees again. */
export function smallDisk(folder: string) {
  const ballast = join(folder, "ballast");
  return {
    fill() {
      writeFileSync(ballast, "");
      for (let size = 1 << 20; size >= 1; size = size >> 1) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: "a" });
        } catch (error) {
          if (!hasErrorCode(error, "ENOSPC")) throw error;
        }
      }
    },
    free: () => rmSync(ballast),
  };
}

/** The events of a session so far, and a wait for the first that matches. */
export function followed(session: Session) {
  const envelopes: Envelope[] = [];
  const lookers = new Set<() => void>();
  void (async () => {
    for await (const envelope of session.events()) {
      envelopes.push(envelope);
      for (const look of lookers) look();
    }
  })();
  return {
    envelopes,
    until: (fits: (envelope: Envelope) => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!envelopes.some(fits)) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        look();
      }),
    broken: () => envelopes.flatMap(({ event }) => (event.type === "agent.stopped" ? [event.detail] : [])),
  };
}
