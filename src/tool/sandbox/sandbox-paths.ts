import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside, realPathSync } from "../../platform/index.ts";
import { obeyedNames } from "../permissions/obeyed-files.ts";
import { partsOfGit } from "./git-folders.ts";

export interface SandboxFolders {
  readonly roots: readonly string[];
  readonly userHome: string;
  /** Absolute paths outside the roots that the user made writable. */
  readonly writable: readonly string[];
  /** True if the first root is the agent's own worktree: git must be able to bring instruction files up to date. */
  readonly isOwn?: boolean | undefined;
}

/**
 * Returns the paths inside writable folders that a sandboxed command cannot write, because other programs later run or
 * obey their content. Folders among them cannot be created either. Paths that the user made writable are excepted, but
 * never the hooks and settings in `.git`.
 */
export function guardedPaths({ roots, userHome, writable, isOwn = false }: SandboxFolders): readonly string[] {
  const lifted = new Set(writable.map((path) => realPathSync(path)));
  const home = realPathSync(userHome);
  const otherFolders = writable.filter(
    (path) => !roots.some((root) => isInside(realPathSync(path), realPathSync(root))),
  );
  const guarded = [...new Set([...roots, ...otherFolders])].flatMap((given) => {
    const root = realPathSync(given);
    const own = [...guardedFolders, ...guardedFiles].map((name) => join(root, name));
    const others = [...oftenAbsent, ...(isOwn && given === roots[0] ? [] : obeyedNames)]
      .map((name) => join(root, name))
      .filter((path) => existsSync(path));
    const homes = isInside(home, root) ? homeNames.map((name) => join(home, name)) : [];
    return [...own, ...others, ...homes];
  });
  const gits = [...lifted].filter((path) => path.endsWith("/.git")).flatMap(partsOfGit);
  return [...new Set([...guarded.filter((path) => !lifted.has(path)), ...gits])];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const guardedFolders = words(`
  .git .husky .troupe .claude .codex .gemini .cursor .opencode .qwen .windsurf .continue
  .vscode .idea .zed .fleet .devcontainer
`);
const guardedFiles = [".mcp.json"];
const oftenAbsent = words(`
  .gitmodules .gitconfig .claude.json .cursorrules .cursorignore .envrc .ripgreprc .vimrc .nvimrc .exrc .emacs
  .circleci .github/workflows .github/actions
`);

/** These names are guarded at every depth where they exist. */
export const guardedNames: ReadonlySet<string> = new Set([...guardedFolders, ...guardedFiles, ...oftenAbsent]);

/**
 * Names in the user's home, if the home is a working folder or inside one. They are guarded whether they exist or not.
 */
const homeNames = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .pam_environment
  .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login
  .config .local bin .ssh .gnupg .gitconfig .vimrc .emacs .emacs.d .vim
`);

/** Files that no command needs to read: keys, tokens, command histories, and the data of other sessions. */
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
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .rediscli_history
  .local/share/fish/fish_history .Xauthority .ICEauthority .config/BraveSoftware .config/microsoft-edge
  .config/containers/auth.json .config/composer/auth.json .composer/auth.json .bundle/config .nuget/NuGet/NuGet.Config
  .config/sops .config/age .config/doctl .config/fly .fly .oci .config/solana .config/github-copilot .config/netlify
  .config/configstore .cache/huggingface/token .huggingface .bitcoin .ethereum .electrum
  .claude .claude.json .codex .gemini .qwen .local/share/opencode/auth.json
`);
