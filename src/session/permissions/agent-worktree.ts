import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside, realPathSync } from "../../platform/index.ts";
import type { AgentWorktree } from "../../tool/index.ts";

/**
 * Returns the worktree that an agent works in, if it is not the session's own folder. The session decides which folder
 * an agent gets. The `.git` file there only tells how paths map: it counts if it names the session's own repository.
 */
export function agentWorktree({ folder, own }: { folder: string; own: string }): AgentWorktree | undefined {
  if (isInside(own, folder) && !isInside(own, join(folder, ".troupe"))) return undefined;
  const top = topFolder(own);
  const gitFolder = top === undefined ? undefined : gitFolderOf(top);
  const mainTop = gitFolder === undefined ? undefined : /^(.+)\/\.git\/worktrees\/[^/]+$/.exec(gitFolder)?.[1];
  if (top === undefined || mainTop === undefined || !isInside(folder, mainTop)) return undefined;
  return { top, mainTop, readable: folder };
}

/** Returns the nearest folder with a `.git` file. */
function topFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (gitFolderOf(at) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}

function gitFolderOf(folder: string): string | undefined {
  try {
    const named = /^gitdir: (.+)$/m.exec(readFileSync(join(folder, ".git"), "utf8"))?.[1];
    return named === undefined ? undefined : realPathSync(named, folder);
  } catch {
    return undefined; // a folder, or nothing: not a worktree
  }
}
