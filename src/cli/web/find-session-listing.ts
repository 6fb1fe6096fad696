import { type SessionId, type SessionListing, TroupeError } from "../../protocol/index.ts";
import type { SessionDirectory } from "../../session/index.ts";

export async function sessionFolder(sessionDirectory: SessionDirectory, session: SessionId): Promise<string> {
  const { cwd, isElsewhere } = await findSessionListing(sessionDirectory, session);
  if (isElsewhere)
    throw new TroupeError(
      "usage",
      "cannot show the worktrees: the session runs on another machine. Look at them there.",
    );
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
  throw new TroupeError(
    "session_not_found",
    `there is no session ${session}. Run 'troupe sessions list --all' to see all sessions.`,
  );
}
