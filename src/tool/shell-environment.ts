/**
 * Variables that would make the shell, the loader, git or rg run or read something other than the command says. Of
 * git's variables only the author and committer are kept.
 */
const unwanted =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|BASH_COMPAT|BASH_LOADABLES_PATH|CDPATH|GLOBIGNORE|EXECIGNORE|FIGNORE|TMOUT|POSIXLY_CORRECT|IFS|BASH_FUNC_.*|LD_.*|DYLD_.*|RIPGREP_CONFIG_PATH|GREP_OPTIONS|GIT_(?!(?:AUTHOR|COMMITTER)_).*)$/;

/** Settings for commands without a terminal or a user. */
const quiet = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  // A read-only git command must not run anything: not from a folder that looks like a bare repository, and not a
  // configured file monitor.
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
  DEBIAN_FRONTEND: "noninteractive",
  // With a socket as input, a bash with SHLVL below 2 assumes a remote login and reads the user's startup file.
  SHLVL: "2",
};

/**
 * The environment of a command: the user's environment without the unwanted variables, and with the settings for no
 * terminal.
 */
export function shellEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !unwanted.test(name));
  const path = env["PATH"];
  return { ...Object.fromEntries(kept), ...(path !== undefined && { PATH: fixedPath(path) }), ...quiet };
}

/** Removes relative entries, which would depend on the working directory. */
const fixedPath = (path: string) =>
  path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":");
