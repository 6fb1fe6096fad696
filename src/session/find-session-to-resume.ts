import { existsSync } from "node:fs";
import { type Effort, SessionId, TroupeError } from "../protocol/index.ts";
import type { OpenedSession, SessionStore } from "../store/index.ts";
import type { Config } from "./config/load-config.ts";

export interface ResumeContext {
  readonly store: SessionStore;
  readonly config: Pick<Config, "cwd">;
  /** The sessions of all teammates. */
  readonly memberSessions: () => Promise<ReadonlySet<string>>;
}

/** Resolves `latest`, or the name of a session, to a session id. A name in this folder takes precedence. */
export async function findSessionToResume(
  which: string,
  { store, config: { cwd }, memberSessions }: ResumeContext,
): Promise<string> {
  if (which !== "latest") return SessionId.safeParse(which).success ? which : sessionNamed(which, { store, cwd });
  let latest = await store.latest(cwd);
  // A damaged log does not tell that it is the log of a teammate, but the team does.
  if (latest?.problem !== undefined) latest = await store.latest(cwd, await memberSessions());
  if (latest?.problem !== undefined && !(await store.has(latest.sessionId))) {
    throw new TroupeError(
      "session_damaged",
      `cannot resume ${latest.sessionId}, the last session of ${cwd}: ${latest.problem} (${latest.file}). Delete that file, or resume another session with --resume.`,
    );
  }
  if (latest) return latest.sessionId;
  throw new TroupeError(
    "session_not_found",
    `no session to resume in ${cwd}. 'troupe sessions list --all' shows the sessions of other folders.`,
  );
}

/** The newest session with this name. Without one, the text counts as an id, and the store names what exists. */
async function sessionNamed(name: string, { store, cwd }: { store: SessionStore; cwd: string }): Promise<string> {
  const named = (await store.list()).filter((summary) => summary.name?.toLowerCase() === name.trim().toLowerCase());
  return (named.find((summary) => summary.cwd === cwd) ?? named[0])?.sessionId ?? name;
}

/** Returns undefined if there is no session with this id. */
export async function openIfExists(store: SessionStore, sessionId: SessionId): Promise<OpenedSession | undefined> {
  return (await store.has(sessionId)) ? store.open(sessionId) : undefined;
}

/** Returns the folder of a resumed session. Throws if it no longer exists. */
export function requireFolder(folder: string): string {
  if (existsSync(folder)) return folder;
  throw new TroupeError(
    "session_not_found",
    `cannot resume the session: its folder ${folder} no longer exists. Restore the folder, or start a new session.`,
  );
}

/** Returns the last effort that the user set in a session. */
export function lastEffortOf(opened: OpenedSession | undefined): Effort | undefined {
  const events = opened?.leadLog.replayed.map(({ event }) => event) ?? [];
  const last = events.findLast((event) => event.type === "agent.changed" && event.effort !== undefined);
  return last?.type === "agent.changed" ? last.effort : undefined;
}

/** Returns the last model of a session. */
export function lastModelOf(opened: OpenedSession | undefined): string | undefined {
  const events = opened?.leadLog.replayed.map(({ event }) => event) ?? [];
  const last = events.findLast(
    (event) => event.type === "agent.spawned" || (event.type === "agent.changed" && event.model),
  );
  return last && "model" in last ? last.model : undefined;
}
