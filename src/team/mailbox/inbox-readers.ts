import { closeAll } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { InboxReader, StoredTeam } from "../../store/index.ts";

/** The inboxes that a mailbox reads. Each is claimed at first use and kept until the mailbox closes. */
export interface InboxReaders {
  /** Rejects with `session_busy` while another process reads it. */
  open(name: string): Promise<InboxReader>;
  /** Undefined if it is not read here. */
  opened(name: string): InboxReader | undefined;
  close(): Promise<void>;
}

export function createInboxReaders({
  team,
  store,
}: {
  readonly team: string;
  readonly store: Pick<StoredTeam, "inbox">;
}): InboxReaders {
  const opening = new Map<string, Promise<InboxReader>>();
  const opened = new Map<string, InboxReader>();
  let isClosed = false;

  const openNow = async (name: string) => {
    try {
      const reader = await store.inbox(name).openReader();
      opened.set(name, reader);
      return reader;
    } finally {
      opening.delete(name);
    }
  };

  return {
    async open(name) {
      if (isClosed) throw closedError(team);
      const known = opened.get(name) ?? opening.get(name);
      if (known !== undefined) return known;
      const started = openNow(name);
      opening.set(name, started);
      return started;
    },
    opened: (name) => opened.get(name),
    async close() {
      isClosed = true;
      // A failed open was reported to its caller.
      await Promise.allSettled(opening.values());
      await closeAll([...opened.values()].map((reader) => reader.close));
    },
  };
}

export const closedError = (team: string): TroupeError =>
  new TroupeError("mail", `The mailbox of team ${team} is closed in this process.`);
