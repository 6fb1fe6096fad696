import { type MailReading, type SessionId, TroupeError, type WorktreeListing } from "../../protocol/index.ts";
import type { SessionDirectory } from "../../session/index.ts";
import { createWorktreeApi } from "./create-worktree-api.ts";
import { createMailApi } from "./create-mail-api.ts";

/** What is in no log and yet belongs to a session: what its team has kept of its mail, and the worktrees as they are now. */
export interface SideData {
  readonly mail: MailReading;
  readonly worktrees: readonly WorktreeListing[];
  /** By the worktree's name. */
  readonly diffs: Readonly<Record<string, string>>;
}

/** More than this of one diff, in characters, nobody reads in a file that is passed on. */
const maxOfDiff = 500_000;

export async function collectSideData(sessionDirectory: SessionDirectory, session: SessionId): Promise<SideData> {
  const ports = { sessionDirectory, env: process.env };
  const mail = await catchProblem(createMailApi(ports).list(session, {}), (problem) => ({
    mail: [],
    problems: [problem],
  }));
  const worktreeApi = createWorktreeApi({ ...ports, signal: new AbortController().signal });
  // No repository, or none any more.
  const worktrees = await catchProblem(worktreeApi.list(session), () => []);
  const diffs: Record<string, string> = {};
  for (const { name, files } of worktrees)
    if (files.length > 0)
      diffs[name] = (await catchProblem(worktreeApi.diff(session, name), (problem) => problem)).slice(0, maxOfDiff);
  return { mail, worktrees, diffs };
}

/** What cannot be had is no reason to export nothing. */
async function catchProblem<T>(wanted: Promise<T>, otherwise: (problem: string) => T): Promise<T> {
  try {
    return await wanted;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return otherwise(error.message);
  }
}
