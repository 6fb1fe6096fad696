import type { ShellWord } from "./shell-word.ts";

interface Unsafe {
  /** Letters that are unsafe anywhere in a cluster. */
  readonly short?: string;
  /** Long options, also in abbreviated form. */
  readonly long?: readonly string[];
  /** Whole words. */
  readonly words?: readonly string[];
}

/**
 * Options that run another program, write a file or change the working directory. A rule allows them only if it names
 * them.
 */
const table: Readonly<Record<string, Unsafe>> = {
  find: {
    words: ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from"],
  },
  fd: { short: "xX", long: ["exec", "exec-batch"] },
  fdfind: { short: "xX", long: ["exec", "exec-batch"] },
  rg: { short: "z", long: ["pre", "pre-glob", "hostname-bin", "search-zip"] },
  sort: { short: "oT", long: ["output", "temporary-directory", "compress-program", "files0-from"] },
  tree: { short: "oR" },
  tar: {
    short: "IFP",
    long: [
      "checkpoint-action",
      "to-command",
      "use-compress-program",
      "rsh-command",
      "info-script",
      "new-volume-script",
      "absolute-names",
    ],
  },
  git: {
    short: "cC",
    long: ["git-dir", "work-tree", "exec-path", "config-env", "namespace", "paginate", "output", "ext-diff", "no-index"]
      .concat(["open-files-in-pager", "upload-pack", "receive-pack", "exec", "extcmd", "template", "separate-git-dir"])
      .concat(["output-directory", "remote", "reference", "config", "textconv", "recurse-submodules", "contents"]),
  },
  npm: { long: ["script-shell", "prefix", "userconfig", "globalconfig", "node-options", "shell", "git", "editor"] },
  pnpm: { short: "C", long: ["script-shell", "dir", "shell-emulator", "config", "use-node-version"] },
  yarn: { long: ["cwd", "use-yarnrc", "script-shell"] },
  go: {
    words: ["-exec", "-toolexec", "-vettool", "-modfile", "-overlay", "-C"],
    long: ["exec", "toolexec", "vettool", "overlay"],
  },
  cargo: { long: ["config", "manifest-path"], short: "C" },
  rsync: { short: "e", long: ["rsh", "rsync-path"] },
  split: { long: ["filter"] },
  zip: { words: ["-T", "-TT"], long: ["test", "unzip-command"] },
  date: { short: "s", long: ["set"] },
  diff: { long: ["paginate"], short: "l" },
  curl: { short: "oOKTJ", long: ["output", "remote-name", "config", "upload-file", "output-dir", "engine"] },
  wget: {
    short: "OPi",
    long: ["output-document", "directory-prefix", "execute", "use-askpass", "input-file", "post-file"],
  },
  sed: { short: "if", long: ["in-place", "file"] },
  uniq: {},
};

/**
 * Returns the first of these words that does more than the command's name says, or undefined. `words` follow those that
 * the rule names.
 */
export function unsafeOption(
  name: string,
  words: readonly ShellWord[],
  before: readonly ShellWord[],
): string | undefined {
  const unsafe = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!unsafe) return undefined;
  // After a git subcommand, letters such as -c have another meaning: only the long forms and `gitLetters` count.
  const behind = name === "git" && [...before.slice(1), ...words].some(({ value }) => !value.startsWith("-"));
  const subcommand =
    name === "git" ? [...before.slice(1), ...words].find(({ value }) => /^[a-z]/.test(value))?.value : undefined;
  let seenSubcommand = before.length > 1;
  for (const word of words) {
    const { value } = word;
    if (unsafe.words?.includes(value)) return value;
    if (value.startsWith("--")) {
      const long = value.slice(2).split("=", 1)[0] ?? "";
      if (long !== "" && isUnsafeLong(long, unsafe.long ?? [])) return value;
    } else if (value.startsWith("-") && unsafe.short !== undefined) {
      const letters = behind && seenSubcommand ? gitLetters(subcommand) : unsafe.short;
      if (hasLetter(value, letters)) return value;
    } else seenSubcommand = true;
  }
  return undefined;
}

const gitLetters = (subcommand: string | undefined) =>
  subcommand === "grep"
    ? "O"
    : subcommand === "archive" || subcommand === "format-patch"
      ? "o"
      : subcommand === "clone"
        ? "cu"
        : "";

/** An abbreviated long option matches every option that it begins. */
const isUnsafeLong = (given: string, unsafe: readonly string[]) =>
  unsafe.some((option) => option === given || (given.length >= 2 && option.startsWith(given)));

const hasLetter = (cluster: string, letters: string) =>
  letters.split("").some((letter) => cluster.slice(1).includes(letter));
