import type { WorktreeFacts } from "../../agent/index.ts";
import { openRepository, type RepositoryContext } from "./repository.ts";
import { listEntries, type WorktreeEntry } from "./worktree-entry.ts";

/** The facts about a worktree, for its agent. Undefined if it is not in the records, such as a hook's. */
export async function worktreeFacts(place: RepositoryContext, path: string): Promise<WorktreeFacts | undefined> {
  const repository = await openRepository(place);
  const { entries } = await listEntries(repository);
  const entry = entries.find((each) => each.path === path);
  return entry && factsOf(entry, repository.top);
}

/** `checkout` is for entries of older versions, which do not name it. */
export const factsOf = (entry: WorktreeEntry, checkout: string): WorktreeFacts => ({
  path: entry.path,
  branch: entry.branch ?? "",
  baseCommit: entry.base,
  baseBranch: entry.baseBranch,
  checkout: entry.checkout ?? checkout,
  ignored: {
    copied: pathsOf(entry, "copy"),
    linked: pathsOf(entry, "link"),
    setup: entry.setup,
  },
});

const pathsOf = ({ put }: WorktreeEntry, wanted: WorktreeEntry["put"][number]["kind"]) =>
  put.flatMap(({ kind, path }) => (kind === wanted ? [path] : []));
