import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { MemoryIo } from "./memory-io.ts";

/** The objects that one process owns alone: open sessions and read inboxes. A claim ends with its process. */
export interface MemoryClaims {
  /** Returns the release. Throws `session_busy` with `what` and the owner while another claim is valid. */
  claim(key: string, claimer: { readonly io: MemoryIo; readonly what: string }): () => void;
}

export function createMemoryClaims(clock: Pick<Clock, "now">): MemoryClaims {
  const held = new Map<string, { readonly io: MemoryIo; readonly at: string }>();
  return {
    claim(key, { io, what }) {
      const holder = held.get(key);
      if (holder !== undefined && !holder.io.isDead) {
        const owner = `${holder.io.processName} since ${holder.at}`;
        throw new TroupeError(
          "session_busy",
          `${what} is in use by ${owner}. Close it there, or wait until it has ended.`,
        );
      }
      const own = { io, at: new Date(clock.now()).toISOString() };
      held.set(key, own);
      return () => {
        if (held.get(key) === own && !io.isDead) held.delete(key);
      };
    },
  };
}
