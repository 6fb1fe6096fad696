import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside, realPathSync } from "../../platform/index.ts";

export interface SandboxFolders {
  readonly roots: readonly string[];
  readonly userHome: string;
  /** What the user has said may be written beyond the roots, absolute. */
  readonly writable: readonly string[];
}

/**
 * What a sandboxed command cannot write although it lies in a folder that it can write to: what something else later runs or
 * obeys. The folders among them cannot be made either. What the user names as writable is, but of `.git` never the hooks and
 * the settings.
 */
export function guardedPaths({ roots, userHome, writable }: SandboxFolders): readonly string[] {
  const lifted = new Set(writable.map((path) => realPathSync(path)));
  const home = realPathSync(userHome);
  const otherFolders = writable.filter(
    (path) => !roots.some((root) => isInside(realPathSync(path), realPathSync(root))),
  );
  const guarded = [...new Set([...roots, ...otherFolders])].flatMap((given) => {
    const root = realPathSync(given);
    const own = [...guardedFolders, ...guardedFiles].map((name) => join(root, name));
    const others = oftenAbsent.map((name) => join(root, name)).filter((path) => existsSync(path));
    const homes = isInside(home, root) ? homeNames.map((name) => join(home, name)) : [];
    return [...own, ...others, ...homes];
  });
  const gits = [...lifted].filter((path) => path.endsWith("/.git")).flatMap(partsOfGit);
  return [...new Set([...guarded.filter((path) => !lifted.has(path)), ...gits])];
}

/** There is no repository without its settings, so that one need not be kept from being made. */
const partsOfGit = (git: string) => [
  join(git, "hooks"),
  ...["config", "config.worktree", "info", "modules", "worktrees"]
    .map((name) => join(git, name))
    .filter((path) => existsSync(path)),
];

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const guardedFolders = words(`
  .git .husky .troupe .claude .codex .gemini .cursor .opencode .qwen .windsurf .continue
  .vscode .idea .zed .fleet .devcontainer
`);
const guardedFiles = [".mcp.json"];
const oftenAbsent = words(`
  .gitmodules .gitconfig .claude.json .cursorrules .cursorignore .envrc .ripgreprc .vimrc .nvimrc .exrc .emacs
`);

/** Of the user's home, should it be a working folder or lie in one: there or not. */
const homeNames = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .pam_environment
  .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login
  .config .local bin .ssh .gnupg .gitconfig .vimrc .emacs .emacs.d .vim
`);

/** What no command has a reason to read: keys, tokens, what was typed, and what other sessions said. */
export const hiddenPaths = (userHome: string, stateRoot: string): readonly string[] => [
  stateRoot,
  ...secretNames.map((name) => join(userHome, name)),
];

const secretNames = words(`
  .ssh .gnupg .aws .azure .kube .docker .password-store .vault-token
  .netrc .git-credentials .npmrc .pypirc .pgpass .my.cnf .terraform.d .terraformrc
  .config/gcloud .config/gh .config/hub .config/git/credentials .config/rclone .config/op
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties
  .local/share/keyrings .mozilla .config/google-chrome .config/chromium .thunderbird Library/Keychains Library/Cookies
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history
  .claude .claude.json .codex .gemini
`);
