import { isInside } from "../../platform/index.ts";

export interface ProtectionBounds {
  /** The folders that the agent works in. Its worktree may be inside a folder that is otherwise protected. */
  readonly roots: readonly string[];
  /** The folder of Troupe's own state. */
  readonly stateRoot?: string | undefined;
  /** The agent's own folder, even outside the roots. Paths in it are checked relative to it. */
  readonly own?: string | undefined;
}

/**
 * Returns why an agent may not write to a path (absolute, links followed), or undefined if it may. Other programs later
 * run or obey the content of these places, so they are protected even before they exist. Letter case makes no
 * difference.
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

/**
 * Removes differences that a file system may ignore: letter case, Unicode form, trailing dots and spaces, and
 * zero-width characters.
 */
const spelling = (part: string) =>
  part
    .normalize("NFKC")
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");

const isWorktree = (root: string) => /\/\.(troupe|claude)\/worktrees\/[^/]+/.test(`${root}/`);

const agents = "the settings, hooks and instructions of a coding agent";
const editor = "an editor runs the files in it";

const folders = new Map([
  [".git", "git runs and obeys the files in it; use git's own commands"],
  [".husky", "git runs the hooks in it"],
  ...[".troupe", ".claude", ".codex", ".gemini", ".cursor", ".opencode", ".qwen", ".windsurf", ".continue"].map(
    (name) => [name, agents] as const,
  ),
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer"].map((name) => [name, editor] as const),
  [".ssh", "ssh keys and settings"],
  [".gnupg", "gpg keys and settings"],
]);

const nested = new Map([
  [".config/git", "git settings"],
  [".config/fish", "shell startup files"],
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
  ].map((name) => [name, "a shell startup file"] as const),
  ...[".gitconfig", ".gitmodules"].map((name) => [name, "a git settings file"] as const),
  ...[".mcp.json", ".claude.json", ".cursorrules", ".cursorignore"].map((name) => [name, agents] as const),
  ...[".vimrc", ".nvimrc", ".exrc", ".emacs"].map((name) => [name, editor] as const),
  [".ripgreprc", "a settings file of a program that can run others"],
  [".envrc", "run by direnv when the folder is entered"],
  [".pam_environment", "read at login"],
]);
