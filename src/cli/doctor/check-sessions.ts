import { createIdFactory, systemClock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { createFileSessionStore, type SessionStore, type SessionSummary } from "../../store/index.ts";
import type { Check } from "./finding.ts";

/** This many of the newest sessions are read completely. Of older ones only the start and the end are read. */
const readWhole = 200;

export const sessions: Check = {
  name: "sessions",
  async find({ home }) {
    const store = createFileSessionStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
    const all = await store.list();
    const problems: { session: SessionSummary; reason: string }[] = [];
    for (const [index, session] of all.entries()) {
      const reason = session.problem ?? (index < readWhole ? await readFailureReason(store, session) : undefined);
      if (reason !== undefined) problems.push({ session, reason });
    }
    if (problems.length === 0) return [{ status: "ok", detail: all.length === 0 ? "none yet" : `${all.length}` }];
    return problems.map(({ session, reason }) => ({
      status: "problem",
      detail: `${session.sessionId} cannot be opened: ${reason}`,
      advice: `troupe sessions repair ${session.sessionId}`,
    }));
  },
};

async function readFailureReason(store: SessionStore, { sessionId }: SessionSummary): Promise<string | undefined> {
  try {
    await store.read(sessionId);
    return undefined;
  } catch (error) {
    if (TroupeError.is(error)) return error.message;
    throw error;
  }
}
