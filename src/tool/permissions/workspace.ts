import { join, relative } from "node:path";
import { isInside } from "../../platform/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";

/** Facts about an agent's folder that its calls do not show. Paths are real and absolute. */
export interface Workspace {
  /** Present if the agent works in a worktree that was made for it. */
  readonly worktree?: AgentWorktree | undefined;
  /** Without it, no command changes files without permission. */
  readonly files?: FileFacts | undefined;
  /** The reason why git would run a program that the repository names, if no walls hide its settings. */
  readonly gitPrograms?: string | undefined;
}

export interface AgentWorktree {
  /** The top folder of the worktree. */
  readonly top: string;
  /** The top folder of the main checkout. */
  readonly mainTop: string;
  /** The part of the main checkout that the session was started in. The agent may read there. */
  readonly readable: string;
}

/** The state of the files when a command is judged. */
export interface FileFacts {
  /** Links are not followed. Undefined: there is nothing. */
  kindOf(path: string): "file" | "folder" | "link" | "other" | undefined;
  /** The names in a folder. Undefined if it cannot be read. */
  namesIn(folder: string): readonly string[] | undefined;
  /** Everything below a folder, as relative paths. Undefined if there is too much to check. */
  below(folder: string): readonly string[] | undefined;
  /** True if git can restore the content of the file, or the agent has written it. */
  isReplaceable(path: string): boolean;
  /** The reason why git would run a program of the repository's own settings. */
  readonly gitProblem?: string | undefined;
}

/** Returns the agent's own copy of a file of the main checkout, existing or not. */
export function ownCopyOf(path: string, { worktree }: Workspace = {}): string | undefined {
  if (!worktree || !isInside(path, worktree.mainTop) || isInside(path, worktree.top)) return undefined;
  return join(worktree.top, relative(worktree.mainTop, path));
}

/**
 * True if an agent changes the files of its folder without a question: in mode `acceptEdits`, and in a worktree that was
 * made for it. File tools and commands follow the same answer.
 */
export const changesFreely = ({
  mode,
  ownWorktree,
}: {
  readonly mode: PermissionMode;
  readonly ownWorktree: boolean;
}) => mode === "acceptEdits" || (ownWorktree && mode !== "plan");
