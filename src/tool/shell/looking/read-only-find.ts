import { looseTest } from "../matching-paths.ts";
import { folderProblem } from "./read-only-trees.ts";
import { literalWord, type ShellWord } from "../shell-word.ts";
import type { TreeSearch } from "./tree-problem.ts";
import { type ReadContext, unsafePath } from "./unsafe-path.ts";

/** Tests and actions of find that only look, and those that take a word. */
const flags = new Set(
  (
    "-empty -prune -o -or -a -and -not -print -print0 -ls -P -depth -mount -xdev -quit -true -false -daystart -noleaf " +
    "-readable -writable -executable -nouser -nogroup ! ( )"
  ).split(" "),
);
const takesWord = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime " +
    "-mmin -newermt -atime -amin -ctime -cmin -printf -perm -user -group -uid -gid -links -inum"
  ).split(" "),
);
const takesFile = new Set(["-newer", "-samefile", "-anewer", "-cnewer"]);

interface FindRequest extends ReadContext {
  readonly words: readonly ShellWord[];
  /** Returns why a command that find runs is not read-only. */
  readonly judge: (words: readonly ShellWord[]) => string | undefined;
}

/** Accepts a search that only reads, also if the commands that it runs only read. */
export function readOnlyFind(request: FindRequest): string | undefined {
  const words = request.words.slice(1);
  const { starts, rest } = findParts(words);
  for (const word of starts) {
    if (word.kind === "pattern" && word.head === "") return `${word.text} could stand for an option`;
    const doubt = unsafePath(word, request);
    if (doubt !== undefined) return doubt;
  }
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (!word) continue;
    if (word.kind !== "literal") return `what ${word.text} stands for is unknown`;
    const { value } = word;
    if (value === "-exec") {
      const { inner, end } = execPart(rest, at + 1);
      const doubt = executedReason(inner, { starts, rest }, request);
      if (doubt !== undefined) return doubt;
      at = end;
    } else if (takesWord.has(value) || takesFile.has(value)) {
      const next = rest[++at];
      if (next?.kind !== "literal") return `what ${next?.text ?? value} stands for is unknown`;
      const doubt = takesFile.has(value) ? unsafePath(next, request) : undefined;
      if (doubt !== undefined) return doubt;
    } else if (!flags.has(value)) return `${value} of find does more than read`;
  }
  return undefined;
}

/** Returns the first word of a search that does more than read: it runs commands, writes or removes. */
export function unsafeFindWord(words: readonly ShellWord[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (takesWord.has(value) || takesFile.has(value)) at += 1;
    else if (value.startsWith("-") && !flags.has(value) && !/^-[LH]$|^-follow$/.test(value)) return words[at]?.text;
  }
  return undefined;
}

interface FindParts {
  readonly starts: readonly ShellWord[];
  readonly rest: readonly ShellWord[];
}

function findParts(words: readonly ShellWord[]): FindParts {
  const from = words.findIndex(({ value }) => value !== "-P");
  const start = words.findIndex(({ value }, at) => at >= from && /^[-(!]/.test(value));
  return {
    starts: words.slice(Math.max(from, 0), start < 0 ? undefined : start),
    rest: start < 0 ? [] : words.slice(start),
  };
}

/** Programs that show nothing of the content of their files. */
const showsNames = new Set("ls stat echo basename dirname realpath readlink".split(" "));

function executedReason(inner: readonly ShellWord[], parts: FindParts, request: FindRequest): string | undefined {
  if (inner.length === 0) return "find runs nothing";
  const odd = inner.find(({ value }) => value.includes("{}") && value !== "./{}");
  if (odd) return `what ${odd.text} stands for is unknown`;
  const doubt = request.judge(inner);
  if (doubt !== undefined || showsNames.has(inner[0]?.value ?? "")) return doubt;
  return foundProblem(parts, { follows: true }, request);
}

/** Returns why the files that a search finds may not be read one and all. */
function foundProblem({ starts, rest }: FindParts, search: TreeSearch, context: ReadContext): string | undefined {
  return folderProblem(
    starts.length === 0 ? [literalWord(".")] : starts,
    { ...search, names: nameFilter(rest) },
    context,
  );
}

/** Returns the test that every found name passes, if a `-name` holds for all of them. */
function nameFilter(rest: readonly ShellWord[]): ((name: string) => boolean) | undefined {
  if (rest.some(({ value }) => /^(-o|-or|!|-not|,|\(|\))$/.test(value))) return undefined;
  const at = rest.findIndex(({ value }) => /^-(i?name|print0?|exec)$/.test(value));
  if (!/^-i?name$/.test(rest[at]?.value ?? "")) return undefined;
  const pattern = at < 0 ? undefined : rest[at + 1]?.value;
  return pattern === undefined ? undefined : looseTest(pattern);
}

/** Returns why the names that a command prints could not all be read by another one (`find … | xargs grep x`). */
export function unsafeNamesReason(
  words: readonly ShellWord[],
  separated: boolean,
  context: ReadContext,
): string | undefined {
  const [name, ...rest] = words;
  const isZero = rest.some(({ value }) => /^(-print0|-z|-0|--null|--print0)$/.test(value));
  const search = { follows: true, plain: true };
  if (name?.value === "find") {
    const parts = findParts(rest);
    if (separated && isZero) return foundProblem(parts, { follows: true }, context);
    const isPrinting = !parts.rest.some(({ value }) => /^-(exec|printf|ls)/.test(value));
    return isPrinting ? foundProblem(parts, search, context) : "find prints more than names";
  }
  const options = rest.map(({ value }) => value).filter((value) => value.startsWith("-"));
  const isList =
    (name?.value === "git" && rest[0]?.value === "ls-files" && options.every((option) => listing.test(option))) ||
    (/^(rg|grep)$/.test(name?.value ?? "") &&
      options.some((option) => /^(-[a-zA-Z]*l[a-zA-Z]*|--files-with-matches|--files)$/.test(option)) &&
      options.every((option) => searching.test(option)));
  return isList ? folderProblem([literalWord(".")], search, context) : `what ${name?.value ?? "it"} prints is unknown`;
}

/** Options with which `git ls-files`, `grep -l` and `rg -l` still print only names. */
const listing = /^(-[comdz]+|--(cached|others|modified|deleted|exclude-standard))$/;
const searching =
  /^(-[rliwnEFIsve]+|--(include|exclude|exclude-dir|glob|type)=.*|-[gt]|--(files|files-with-matches))$/s;

/** Returns the command of an `-exec`, with a file of the folder instead of `{}`, and the position of its end. */
export function execPart(words: readonly ShellWord[], from: number): { inner: readonly ShellWord[]; end: number } {
  const length = words
    .slice(from)
    .findIndex(({ value }, index, all) => value === ";" || (value === "+" && all[index - 1]?.value === "{}"));
  const end = length < 0 ? words.length : from + length;
  return { inner: words.slice(from, end).map((word) => (word.value === "{}" ? literalWord("./{}") : word)), end };
}
