/** What would make the shell run or read something before the command, or change what the command means. */
const unwanted =
  /^(BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|IFS|BASH_FUNC_.*|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|PREFIX|CONFIG.*|EXTERNAL_DIFF))$/;

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
  DEBIAN_FRONTEND: "noninteractive",
};

/** The environment of a command: the user's, without what acts behind its back, and told that nobody is there. */
export function shellEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !unwanted.test(name))), ...quiet };
}
