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
  // A command that only looks neither writes the index nor runs the hook for that.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
  // With a socket as input, a bash with SHLVL below 2 assumes a remote login and reads the user's startup file.
  SHLVL: "2",
};

/**
 * A read-only git command must not run anything: not from a folder that looks like a bare repository, and not a
 * configured file monitor.
 */
const gitSettings: readonly (readonly [string, string])[] = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
];

/** With these a git command that no user has approved runs no hook, no signing program and no clean-up. */
const pinnedSettings: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["core.sshCommand", "false"],
  ["core.askPass", ""],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** Adds settings to a command's environment with which git runs no program that the repository names. */
export const gitPins = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...env,
  ...gitVariables([...gitSettings, ...pinnedSettings]),
  GIT_NO_LAZY_FETCH: "1",
});

/**
 * The environment of a command: the user's environment without the unwanted variables, and with the settings for no
 * terminal.
 */
export function shellEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !unwanted.test(name));
  const path = env["PATH"];
  return {
    ...Object.fromEntries(kept),
    ...(path !== undefined && { PATH: fixedPath(path) }),
    ...quiet,
    ...gitVariables(gitSettings),
  };
}

function gitVariables(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** Removes relative entries, which would depend on the working directory. */
const fixedPath = (path: string) =>
  path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":");
