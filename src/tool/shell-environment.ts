/**
 * What would make the shell, the loader, git or rg run or read something else than the command says. Of git's variables only who
 * commits is kept.
 */
const unwanted =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|BASH_COMPAT|BASH_LOADABLES_PATH|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|TMOUT|POSIXLY_CORRECT|IFS|BASH_FUNC_.*|LD_.*|DYLD_.*|RIPGREP_CONFIG_PATH|GREP_OPTIONS|GIT_(?!(?:AUTHOR|COMMITTER)_).*)$/;

/** For what has no terminal and nobody to answer it. */
const quiet = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  // A folder that looks like a repository, or what its settings call a file monitor, must not run when somebody only looks.
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
  DEBIAN_FRONTEND: "noninteractive",
  // A bash whose input is a socket and that thinks itself the first takes this for a remote login, and reads the user's start file.
  SHLVL: "2",
};

/** The environment of a command: the user's, without what acts behind its back, and told that nobody is there. */
export function shellEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !unwanted.test(name));
  const path = env["PATH"];
  return { ...Object.fromEntries(kept), ...(path !== undefined && { PATH: fixedPath(path) }), ...quiet };
}

/** Without entries that would mean another folder wherever the command goes. */
const fixedPath = (path: string) =>
  path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":");
