import { existsSync } from "node:fs";
import type { WorktreeState } from "../agent/index.ts";
import type { AgentId, WorktreeSettings } from "../protocol/index.ts";
import type { Tool } from "../tool/index.ts";
import { diffLine } from "./evidence/diff-line.ts";
import { createLandTool, type LandToolPorts } from "./land/land-tool.ts";
import { createWorktree, type Worktree } from "./worktree/create-worktree.ts";
import { type FinishedWorktree, type FinishRequest, finishWorktree } from "./worktree/keep-or-remove-worktree.ts";
import { type LostWorktree, recreateWorktree } from "./worktree/recreate-worktree.ts";
import { openRepository, type RepositoryContext } from "./worktree/repository.ts";
import { resumeWorktree } from "./worktree/resume-worktree.ts";
import { readEntry } from "./worktree/worktree-entry.ts";
import { worktreeState } from "./worktree/worktree-state.ts";

/** The worktrees of a session's agents. */
export interface WorktreeEngine {
  create(place: RepositoryContext, request: NewWorktree): Promise<Worktree>;
  /** Undefined if there is no such worktree any more. `adopt` also takes it from a live process. */
  resume(place: RepositoryContext, name: string, options?: { readonly adopt?: boolean }): Promise<Worktree | undefined>;
  recreate(place: RepositoryContext, lost: LostWorktree): Promise<Worktree>;
  /** Keeps the worktree if anything would be lost, else removes it. First commits the work of an agent that is over. */
  finish(place: RepositoryContext, request: Pick<FinishRequest, "name" | "endedAgent">): Promise<FinishedWorktree>;
  /** Its work that has not landed. Undefined if the folder is not a worktree of that repository. */
  state(place: RepositoryContext, path: string): Promise<WorktreeState | undefined>;
  /** True if the worktree is there, and `create` made it, not a hook or a person. */
  isOwn(place: RepositoryContext, worktree: { readonly name: string; readonly path: string }): Promise<boolean>;
  hasFolder(path: string): boolean;
  /** Its changes since this commit, in one line. */
  diff(place: RepositoryContext, worktree: { readonly path: string; readonly base: string }): Promise<string>;
  landTool(ports: LandToolPorts): Tool;
}

export interface NewWorktree {
  readonly agentId: AgentId;
  readonly label: string;
  readonly settings: WorktreeSettings;
}

/** Real worktrees of git. */
export const gitWorktrees: WorktreeEngine = {
  create: createWorktree,
  resume: resumeWorktree,
  recreate: recreateWorktree,
  finish: finishWorktree,
  state: worktreeState,
  isOwn: async (place, { name, path }) =>
    existsSync(path) && (await readEntry(await openRepository(place), name))?.path === path,
  hasFolder: existsSync,
  diff: diffLine,
  landTool: createLandTool,
};
