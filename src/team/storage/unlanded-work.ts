import type { LeftWorktree, UnlandedWork } from "../../agent/index.ts";
import { type Member, TroupeError } from "../../protocol/index.ts";

/** The work in the worktrees of these members that has not landed. A worktree that cannot be inspected is left out. */
export async function unlandedWork(
  members: readonly Member[],
  leftBy: (member: Member) => Promise<LeftWorktree | undefined>,
): Promise<readonly UnlandedWork[]> {
  const all: UnlandedWork[] = [];
  for (const member of members) {
    const work = member.worktreePath === undefined ? undefined : await orUndefined(() => leftBy(member));
    if (work && (work.commits > 0 || work.uncommitted.length > 0))
      all.push({ owner: member.name, hasEnded: member.ended !== undefined, work });
  }
  return all;
}

async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}
