import { isInside } from "../../platform/index.ts";

export interface ProtectionBounds {
  /** The folders the agent works in. A worktree of its own may lie in a folder that is otherwise protected. */
  readonly roots: readonly string[];
  /** Where Troupe keeps its own state, wherever that is. */
  readonly stateRoot?: string | undefined;
  /** A folder of the agent's own, wherever it lies: what is in it is judged as if that were all there is. */
  readonly own?: string | undefined;
}

/**
 * Why an agent may not write to a path (absolute, links followed), or undefined when it may. These are the places whose content is
 * later run or obeyed by something else: it makes no difference whether they exist yet. Letter case is no way round it.
 */
export function protectedReason(path: string, bounds: ProtectionBounds): string | undefined {
  const root = bounds.roots.filter((folder) => isInside(path, folder)).sort((a, b) => b.length - a.length)[0];
  const { stateRoot } = bounds;
  const own = bounds.own !== undefined && path !== bounds.own && isInside(path, bounds.own) ? bounds.own : undefined;
  const ownRoot = stateRoot !== undefined && root !== undefined && root !== stateRoot && isInside(root, stateRoot);
  if (stateRoot !== undefined && isInside(path, stateRoot) && !ownRoot && own === undefined)
    return `${path} is Troupe's own state`;

  const outer = own ?? (root !== undefined && (ownRoot || isWorktree(root)) ? root : "");
  const parts = path.slice(outer.length).split("/").filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const reason = folders.get(spelling(part)) ?? nested.get(spelling(`${parts[index - 1] ?? ""}/${part}`));
    if (reason !== undefined) return `${path} is in ${part}: ${reason}`;
  }
  const name = parts.at(-1);
  const reason = name === undefined ? undefined : files.get(spelling(name));
  return reason === undefined ? undefined : `${path} is ${reason}`;
}

/** Undoes what a file system may overlook: letter case, Unicode form, dots and spaces at the end, and characters without width. */
const spelling = (part: string) =>
  part
    .normalize("NFKC")
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");

const isWorktree = (root: string) => /\/\.(troupe|claude)\/worktrees\/[^/]+/.test(`${root}/`);

const agents = "settings, hooks and instructions of a coding agent";
const editor = "an editor runs what is in there";

const folders = new Map([
  [".git", "git runs and obeys what is in there; use git's own commands"],
  [".husky", "git hooks are run from there"],
  ...[".troupe", ".claude", ".codex", ".gemini", ".cursor", ".opencode", ".qwen", ".windsurf", ".continue"].map(
    (name) => [name, agents] as const,
  ),
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer"].map((name) => [name, editor] as const),
  [".ssh", "keys and settings of ssh"],
  [".gnupg", "keys and settings of gpg"],
]);

const nested = new Map([
  [".config/git", "settings of git"],
  [".config/fish", "the start files of a shell"],
  [".config/autostart", "started at login"],
  [".config/systemd", "started at login"],
  [".config/nvim", editor],
  ["library/launchagents", "started at login"],
]);

const files = new Map([
  ...[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".inputrc",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
  ].map((name) => [name, "a start file of a shell"] as const),
  ...[".gitconfig", ".gitmodules"].map((name) => [name, "settings of git"] as const),
  ...[".mcp.json", ".claude.json", ".cursorrules", ".cursorignore"].map((name) => [name, agents] as const),
  ...[".vimrc", ".nvimrc", ".exrc", ".emacs"].map((name) => [name, editor] as const),
  [".ripgreprc", "settings of a program that can run others"],
  [".envrc", "run by direnv when the folder is entered"],
  [".pam_environment", "read at login"],
]);
