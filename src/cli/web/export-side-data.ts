import { type MailReading, type SessionId, TroupeError, type WorktreeListing } from "../../protocol/index.ts";
import type { SessionDirectory } from "../../session/index.ts";
import { createWorktreeApi } from "./create-worktree-api.ts";
import { createMailApi } from "./create-mail-api.ts";

/** Data of a session that no log contains: its team's mail, and the current worktrees. */
export interface SideData {
  readonly mail: MailReading;
  readonly worktrees: readonly WorktreeListing[];
  /** By the name of the worktree. */
  readonly diffs: Readonly<Record<string, string>>;
}

/** Maximum characters of one diff, to keep the exported file small. */
const maxOfDiff = 500_000;

export async function collectSideData(sessionDirectory: SessionDirectory, session: SessionId): Promise<SideData> {
  const ports = { sessionDirectory, env: process.env };
  const mail = await catchProblem(createMailApi(ports).list(session, {}), (problem) => ({
    mail: [],
    problems: [problem],
  }));
  const worktreeApi = createWorktreeApi({ ...ports, signal: new AbortController().signal });
  // The folder has no repository, or no longer exists.
  const worktrees = await catchProblem(worktreeApi.list(session), () => []);
  const diffs: Record<string, string> = {};
  for (const { name, files } of worktrees)
    if (files.length > 0)
      diffs[name] = (await catchProblem(worktreeApi.diff(session, name), (problem) => problem)).slice(0, maxOfDiff);
  return { mail, worktrees, diffs };
}

/** Exports the problem in place of data that is not available. */
async function catchProblem<T>(wanted: Promise<T>, otherwise: (problem: string) => T): Promise<T> {
  try {
    return await wanted;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return otherwise(error.message);
  }
}
