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
 * Cleans up the worktree of a member that could not do it itself. It is kept if it has changes, otherwise removed. A
 * worktree that a hook created is left to the hook. Returns the problems of the `WorktreeRemove` hooks.
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

/** The message to a resumed teammate and its lead when the teammate's worktree is missing. */
export const recreatedWorktreeText = (
  gone: { path: string; branch: string | undefined },
  now: { path: string; branch: string },
) =>
  `The worktree ${gone.path} no longer exists. ${now.path} on branch ${now.branch} replaces it and starts from the current commit of the repository.${gone.branch === undefined ? "" : ` Earlier commits are on branch ${gone.branch}, if it still exists.`} Uncommitted changes are lost.`;
