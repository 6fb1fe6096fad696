import { existsSync } from "node:fs";
import { TroupeError, type SessionId } from "../protocol/index.ts";
import type { OpenedSession, SessionStore } from "../store/index.ts";
import type { Config } from "./config/load-config.ts";

/** The id of the session that is meant. */
export async function findSessionToResume(which: string, store: SessionStore, { cwd }: Config): Promise<string> {
  if (which !== "latest") return which;
  const latest = await store.latest(cwd);
  if (latest) return latest.sessionId;
  throw new TroupeError(
    "session_not_found",
    `there is no session of ${cwd} to go on with: 'troupe sessions list --all' shows the others`,
  );
}

/** Undefined if there is no session of this id yet. */
export async function openIfExists(store: SessionStore, sessionId: SessionId): Promise<OpenedSession | undefined> {
  return (await store.has(sessionId)) ? store.open(sessionId) : undefined;
}

/** A session goes on where it was, wherever it is resumed from. */
export function requireFolder(folder: string): string {
  if (existsSync(folder)) return folder;
  throw new TroupeError(
    "session_not_found",
    `the session worked in ${folder}, which is no longer there: put it back, or start a new session`,
  );
}

/** A session goes on with the model it had last. */
export function lastModelOf(opened: OpenedSession | undefined): string | undefined {
  const events = opened?.leadLog.replayed.map(({ event }) => event) ?? [];
  const last = events.findLast(
    (event) => event.type === "agent.spawned" || (event.type === "agent.changed" && event.model),
  );
  return last && "model" in last ? last.model : undefined;
}
