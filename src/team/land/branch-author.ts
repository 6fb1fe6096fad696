import type { AgentId } from "../../protocol/index.ts";
import { openRepository, type RepositoryContext } from "../worktree/repository.ts";
import { listEntries } from "../worktree/worktree-entry.ts";

/** The agent whose worktree has this branch, if an entry is left. */
export async function branchAuthor(place: RepositoryContext, branch: string): Promise<AgentId | undefined> {
  const { entries } = await listEntries(await openRepository(place));
  return entries.find((entry) => entry.branch === branch)?.agentId as AgentId | undefined;
}
