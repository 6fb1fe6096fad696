import { type ChangeContext, namedPaths, refusedChange, refusedRemoval, refusedReplacement } from "./change-rights.ts";
import { expandPatterns } from "./expand-patterns.ts";
import { fileGitCommand } from "./file-git-commands.ts";
import type { ShellWord } from "./shell-word.ts";
import { unsafeSedReason } from "./text-programs.ts";
import { transfer } from "./transfer-files.ts";
import { unsafePath } from "./looking/unsafe-path.ts";

/** The judgement of a command that changes files. */
export type FileChange =
  | { readonly why: string }
  | {
      /** The files that it writes. */
      readonly writes: readonly string[];
      /** The paths that hold moved files of others afterwards. */
      readonly foreign: readonly string[];
      /** True if a link may be at its destination afterwards: other commands of the line must not use it. */
      readonly moves: boolean;
      /** True if it is a command of git. */
      readonly git: boolean;
    };

/** Judges mkdir, touch, tee, rm, rmdir, mv, cp, sed -i and git's own commands. Undefined for all other commands. */
export function fileCommand(written: readonly ShellWord[], context: ChangeContext): FileChange | undefined {
  const name = written[0]?.value ?? "";
  const expanded = takesPatterns(written) ? expandPatterns(written, context) : { words: written };
  if ("why" in expanded) return isKnown(written) ? expanded : undefined;
  const { words } = expanded;
  if (name === "git") return fileGitCommand(words, context);
  if (name === "sed") return words.some(({ value }) => inPlace.test(value)) ? editWithSed(words, context) : undefined;
  const options = Object.hasOwn(known, name) ? known[name] : undefined;
  if (options === undefined) return undefined;
  const operands = splitOptions(words.slice(1), options);
  if ("why" in operands) return operands;
  const { operands: files, flags } = operands;
  if (files.length === 0) return { why: `${name} names no file` };
  switch (name) {
    case "mkdir":
    case "touch":
      return created(
        each(files, context, (path) => refusedThrough(path, context)),
        context,
      );
    case "tee":
      return each(files, context, (path) => refusedReplacement(path, context));
    case "rm":
      return removing(each(files, context, (path) => removal(path, flags, context)));
    case "rmdir":
      return removing(each(files, context, (path) => refusedChange(path, context)));
    default:
      return transfer(name === "mv" ? "mv" : "cp", { files, flags }, context);
  }
}

const isKnown = ([name, second, ...rest]: readonly ShellWord[]) =>
  /^(rm|mv|cp)$/.test(name?.value ?? "") ||
  (name?.value === "sed" && [second, ...rest].some((word) => inPlace.test(word?.value ?? ""))) ||
  (name?.value === "git" && /^(add|mv|rm)$/.test(second?.value ?? ""));

/** The names of a pattern come in the order of the shell's language: the last one must not be the destination. */
const takesPatterns = (words: readonly ShellWord[]) =>
  isKnown(words) && !(words.some(({ value }) => /^(mv|cp)$/.test(value)) && words.at(-1)?.kind === "pattern");

/** Letters of the options that change nothing about which files a command touches. */
const known: Readonly<Record<string, RegExp>> = {
  mkdir: /^(-[pv]+|--parents|--verbose)$/,
  touch: /^(-[acm]+|--no-create)$/,
  tee: /^(-a|--append)$/,
  rm: /^(-[rRfvd]+|--recursive|--force|--verbose|--dir)$/,
  rmdir: /^(-v|--verbose)$/,
  mv: /^(-[fnv]+|--force|--no-clobber|--verbose)$/,
  cp: /^(-[rRfnvp]+|--recursive|--force|--no-clobber|--verbose)$/,
};

interface Operands {
  readonly operands: readonly ShellWord[];
  readonly flags: string;
}

function splitOptions(words: readonly ShellWord[], options: RegExp): Operands | { readonly why: string } {
  const end = words.findIndex(({ value }) => value === "--");
  const before = end < 0 ? words : words.slice(0, end);
  const operands: ShellWord[] = end < 0 ? [] : words.slice(end + 1);
  let flags = "";
  for (const word of before) {
    if (!word.value.startsWith("-")) operands.push(word);
    else if (word.kind === "literal" && options.test(word.value)) flags += word.value;
    else return { why: `the option ${word.text} needs permission` };
  }
  return { operands, flags };
}

/** Applies a test to every path that the words name. */
function each(
  words: readonly ShellWord[],
  context: ChangeContext,
  refuse: (path: string) => string | undefined,
): FileChange {
  const writes: string[] = [];
  for (const word of words) {
    const named = namedPaths(word, context);
    if ("why" in named) return named;
    for (const path of named.paths) {
      const why = refuse(path);
      if (why !== undefined) return { why };
      writes.push(path);
    }
  }
  return { writes, foreign: [], moves: false, git: false };
}

const removing = (change: FileChange): FileChange => ("why" in change ? change : { ...change, writes: [] });

/** mkdir and touch leave the content of what exists as it is. */
const created = (change: FileChange, { rights }: ChangeContext): FileChange =>
  "why" in change
    ? change
    : { ...change, writes: change.writes.filter((path) => rights.files.kindOf(path) === undefined) };

/** Like `refusedChange`, for commands that follow a link at the end of a path. */
const refusedThrough = (path: string, context: ChangeContext) =>
  refusedChange(path, context) ?? refusedChange(context.place.realPath(path), context);

function removal(path: string, flags: string, context: ChangeContext): string | undefined {
  const isFolder = context.rights.files.kindOf(path) === "folder";
  if (isFolder && !/[rRd]/.test(flags)) return `${path} is a folder`;
  return refusedRemoval(path, context, "remove");
}

const inPlace = /^(-[a-zA-Z]*i.*|--in-place.*)$/;

/** Accepts `sed -i` with scripts that only print, delete and substitute. */
function editWithSed(words: readonly ShellWord[], context: ChangeContext): FileChange {
  if (words.some(({ value }) => inPlace.test(value) && !/^(-[nErsuz]*i|--in-place)$/.test(value)))
    return { why: "the suffix of sed -i needs permission" };
  const plain = words.flatMap((word) => {
    const rest = word.value.slice(0, -1);
    if (!inPlace.test(word.value)) return [word];
    return word.value === "--in-place" || rest === "-" ? [] : [{ ...word, value: rest, text: rest, head: rest }];
  });
  const why = unsafeSedReason(plain);
  if (why !== undefined) return { why };
  const explicit = plain.some(({ value }) => /^-[nErsuz]*e$/.test(value));
  const operands = plain
    .slice(1)
    .filter(({ value }, at, all) => !value.startsWith("-") && !/^-[nErsuz]*e$/.test(all[at - 1]?.value ?? ""));
  const files = explicit ? operands : operands.slice(1);
  if (files.length === 0) return { why: "sed -i names no file" };
  for (const file of files) {
    const secret = unsafePath(file, context);
    if (secret !== undefined) return { why: secret };
  }
  return each(files, context, (path) => refusedReplacement(path, context));
}
