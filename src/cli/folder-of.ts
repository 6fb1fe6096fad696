import { type SessionId, TroupeError } from "../protocol/index.ts";
import type { Observatory } from "../session/index.ts";

/** The folder that a session works in. */
export async function folderOf(observatory: Observatory, session: SessionId): Promise<string> {
  const enough = new AbortController();
  for await (const sessions of observatory.sessions(enough.signal)) {
    enough.abort();
    const found = sessions.find(({ id }) => id === session);
    if (found) return found.cwd;
  }
  throw new TroupeError("session_not_found", `there is no session ${session}`);
}
