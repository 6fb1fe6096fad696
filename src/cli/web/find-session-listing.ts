import { type SessionId, type SessionListing, TroupeError } from "../../protocol/index.ts";
import type { SessionDirectory } from "../../session/index.ts";

/** The folder that a session works in. */
export async function sessionFolder(sessionDirectory: SessionDirectory, session: SessionId): Promise<string> {
  const { cwd, isElsewhere } = await findSessionListing(sessionDirectory, session);
  if (isElsewhere)
    throw new TroupeError("usage", "this session is on another machine, and its worktrees with it: look at them there");
  return cwd;
}

export async function findSessionListing(
  sessionDirectory: SessionDirectory,
  session: SessionId,
): Promise<SessionListing> {
  const stop = new AbortController();
  for await (const sessions of sessionDirectory.sessions(stop.signal)) {
    stop.abort();
    const found = sessions.find(({ id }) => id === session);
    if (found) return found;
  }
  throw new TroupeError("session_not_found", `there is no session ${session}`);
}
