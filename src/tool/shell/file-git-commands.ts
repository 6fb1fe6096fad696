import { dirname, join } from "node:path";
import { isInside } from "../../platform/index.ts";
import { isSecretPath } from "../permissions/secret-paths.ts";
import { type ChangeContext, namedPaths, refusedChange, refusedRemoval } from "./change-rights.ts";
import type { FileChange } from "./file-commands.ts";
import type { ShellWord } from "./shell-word.ts";
import { transfer } from "./transfer-files.ts";
import { unsafePath } from "./looking/unsafe-path.ts";

interface GitCommand {
  readonly options: RegExp;
  /** Options that take the next word as text. */
  readonly texts?: RegExp;
  /** True if it may run only where no other agent or user works. */
  readonly ownOnly: boolean;
}

/** The plain forms of git's commands for the work of an agent. */
const known: Readonly<Record<string, GitCommand>> = {
  add: { options: /^(-[AuvN]+|--all|--update|--verbose|--intent-to-add)$/, ownOnly: false },
  mv: { options: /^(-[v]+|--verbose)$/, ownOnly: false },
  rm: { options: /^(-[rq]+|--cached|--quiet)$/, ownOnly: false },
  restore: { options: /^(--staged|-S|--worktree|-W|-q|--quiet)$/, ownOnly: true },
  commit: {
    options: /^(-[aqs]+|--all|--quiet|--signoff|--allow-empty|--message=.*)$/s,
    texts: /^(-[aqs]*m|--message)$/,
    ownOnly: true,
  },
};

/** Judges git add, mv, rm, restore and commit. Undefined for all other commands of git. */
export function fileGitCommand(words: readonly ShellWord[], context: ChangeContext): FileChange | undefined {
  const [, subcommand, ...rest] = words;
  const name = subcommand?.kind === "literal" ? subcommand.value : "";
  const command = Object.hasOwn(known, name) ? known[name] : undefined;
  if (command === undefined) return undefined;
  const { rights } = context;
  if (rights.files.gitProblem !== undefined) return { why: rights.files.gitProblem };
  if (command.ownOnly && !isIn(rights.ownWorktree, context))
    return { why: `git ${name} runs without asking only in an agent's own worktree` };
  const nested = nestedRepository(context);
  if (nested !== undefined) return { why: `${nested} is another repository` };
  const operands = operandsOf(rest, command, context);
  if ("why" in operands) return operands;
  if (name === "mv") {
    const moved = transfer("git mv", { files: operands.files, flags: "" }, context);
    // Git has the moved files: they are not the agent's own.
    return "why" in moved ? moved : { ...moved, writes: [], foreign: [], git: true };
  }
  const why = refusedOperands(name, operands.files, context);
  return why === undefined ? { writes: [], foreign: [], moves: false, git: true } : { why };
}

const isIn = (folder: string | undefined, { folders, place }: ChangeContext) =>
  folder !== undefined && folders.every((each) => isInside(place.realPath(each), folder));

/** Returns a folder between the working folder and the place of the command that is a repository itself. */
function nestedRepository({ folders, place, rights }: ChangeContext): string | undefined {
  for (const folder of folders) {
    for (let at = place.realPath(folder); !rights.roots.includes(at); at = dirname(at)) {
      if (at === dirname(at)) return folder;
      if (rights.files.kindOf(join(at, ".git")) !== undefined) return at;
    }
  }
  return undefined;
}

function operandsOf(
  words: readonly ShellWord[],
  { options, texts }: GitCommand,
  context: ChangeContext,
): { readonly files: readonly ShellWord[] } | { readonly why: string } {
  const files: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    if (word.value === "--") return { files: [...files, ...words.slice(at + 1)] };
    if (texts && word.value === "-F") {
      const file = words[++at];
      if (file?.kind !== "literal") return { why: `what ${file?.text ?? "-F"} stands for is unknown` };
      const why = file.value === "-" ? undefined : unsafePath(file, context);
      if (why !== undefined) return { why };
      continue;
    }
    if (texts?.test(word.value) && word.kind === "literal") {
      const text = words[++at];
      if (text === undefined || text.kind === "dynamic" || text.kind === "pattern")
        return { why: `what ${text?.text ?? "the message"} stands for is unknown` };
    } else if (word.value.startsWith("-") || word.head.startsWith("-")) {
      const isKnown = options.test(word.value) && (word.kind === "literal" || word.head.startsWith("--message="));
      if (!isKnown) return { why: `the option ${word.text} needs permission` };
    } else files.push(word);
  }
  return { files };
}

function refusedOperands(name: string, words: readonly ShellWord[], context: ChangeContext): string | undefined {
  for (const word of words) {
    if (word.value.startsWith(":")) return `${word.text} is not a plain path`;
    const isWhole = name === "add" || name === "restore" || name === "commit";
    if (isWhole && word.value === ".") continue;
    const named = namedPaths(word, context);
    if ("why" in named) return named.why;
    for (const path of named.paths) {
      if (name === "add" && isSecretPath(path)) return `${path} looks like a file with secrets`;
      const why = name === "rm" ? refusedRemoval(path, context, "remove") : refusedChange(path, context);
      if (why !== undefined) return why;
    }
  }
  return undefined;
}
