import type { StoredEnvelope, StoredEvent } from "../protocol/index.ts";

/** The name that the user gave the session. */
export interface SessionName {
  set(name: string): Promise<void>;
  /** Stores the name again, so that it is at the end of the log. Does nothing without a name. */
  repeat(): Promise<void>;
}

export function createSessionName(
  replayed: readonly StoredEnvelope[],
  record: (event: StoredEvent) => Promise<unknown>,
): SessionName {
  let current = replayed.map(({ event }) => event).findLast((event) => event.type === "session.named")?.name;
  const store = async () => {
    if (current !== undefined) await record({ type: "session.named", name: current });
  };
  return {
    async set(name) {
      current = name;
      await store();
    },
    repeat: store,
  };
}
