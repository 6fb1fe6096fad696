import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Clock, CreateId } from "../../platform/index.ts";
import type { Member } from "../../protocol/index.ts";
import { finishWorktree, listWorktrees } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import { runWorktreeRemoveHooks } from "./worktree-remove-hooks.ts";

export interface TeammateWorktreePorts {
  readonly config: Pick<Config, "home" | "userHome" | "childEnv" | "hooks" | "cwd">;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * Puts the worktree of a member in order that was ended from outside: kept if anything is in it, else removed. One that
 * a hook has made is its maker's to remove. Gives what went wrong with the hooks that are told of it.
 */
export async function cleanUpWorktree(
  { worktreePath, worktreeBranch, cwd }: Member,
  { config, clock, createId }: TeammateWorktreePorts,
): Promise<readonly string[]> {
  if (worktreePath === undefined || !existsSync(worktreePath)) return [];
  const place = { home: config.home, userHome: config.userHome, cwd, env: config.childEnv, clock, createId };
  const { worktrees } = await listWorktrees(place);
  const ownWorktree = worktrees.find(({ path, state }) => path === worktreePath && state !== "foreign");
  if (!ownWorktree) return [];
  const name = basename(worktreePath);
  const { outcome } = await finishWorktree(place, { name });
  const removed = outcome === "removed" ? [{ path: worktreePath, name, branch: worktreeBranch }] : [];
  return runWorktreeRemoveHooks(removed, { config, clock });
}

/** Said to a member that goes on, and to its lead, when its worktree is not there any more. */
export const recreatedWorktreeText = (
  gone: { path: string; branch: string | undefined },
  now: { path: string; branch: string },
) =>
  `The worktree ${gone.path} is not there any more. ${now.path} on ${now.branch} has taken its place, from where the repository is now.${
    gone.branch === undefined ? "" : ` What was committed is on ${gone.branch}, if that is still there.`
  } What was not committed is gone.`;
