import { type Clock, createProcessScope } from "../../platform/index.ts";
import type { StoredEvent } from "../../protocol/index.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import type { Config } from "../config/load-config.ts";

export interface RemovedWorktree {
  readonly path: string;
  readonly name: string;
  readonly branch?: string | undefined;
}

/**
 * Runs the `WorktreeRemove` hooks for worktrees that were removed outside an agent: by a command, after a teammate's
 * session, or at a start. Returns the hooks' problems for the user.
 */
export async function runWorktreeRemoveHooks(
  removed: readonly RemovedWorktree[],
  { config, clock }: { readonly config: Pick<Config, "hooks" | "childEnv" | "cwd">; readonly clock: Clock },
): Promise<readonly string[]> {
  const opened = removed.length === 0 ? undefined : await openHooks(config.hooks);
  if (!opened) return [];
  const { cwd, childEnv: env } = config;
  const notices: string[] = [];
  const processes = createProcessScope();
  const hooks = opened.create({
    processes,
    env,
    projectFolder: cwd,
    cwd: () => cwd,
    mode: () => "default",
    model: () => "",
    facts: () => ({ cwd }),
    mayMatch: async () => true,
    record: async (event: StoredEvent) => {
      if (event.type === "notice.raised") notices.push(event.message);
    },
    clock,
  });
  try {
    for (const { path, name, branch } of removed)
      await hooks.worktreeRemoved({ worktree_path: path, name, branch: branch ?? "" });
    await hooks.settled();
  } finally {
    await hooks.stop();
    await processes.close();
  }
  return notices;
}
