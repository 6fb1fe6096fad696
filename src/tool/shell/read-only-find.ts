import { type ReadContext, unsafePath } from "./unsafe-path.ts";
import { literalWord, type ShellWord } from "./shell-word.ts";

const tests = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime " +
    "-mmin -newer -newermt -atime -amin -ctime -cmin -empty -prune -o -or -a -and -not -print -print0 -printf -ls -L -H -P " +
    "-perm -user -group -uid -gid -links -inum -depth -mount -xdev -quit -true -false -follow -daystart -noleaf -readable " +
    "-writable -executable -nouser -nogroup -samefile"
  ).split(" "),
);

interface FindRequest extends ReadContext {
  readonly words: readonly ShellWord[];
  /** Returns why a command that find runs is not read-only. */
  readonly judge: (words: readonly ShellWord[]) => string | undefined;
}

/** Accepts a search that only reads, also if the commands that it runs only read. */
export function readOnlyFind(request: FindRequest): string | undefined {
  const words = request.words.slice(1);
  const start = words.findIndex(({ value }) => /^[-(!]/.test(value) && !/^-[LHP]$/.test(value));
  for (const word of words.slice(0, start < 0 ? undefined : start)) {
    if (/^-[LHP]$/.test(word.value)) continue;
    if (word.kind === "pattern" && word.head === "") return `${word.text} could stand for an option`;
    const doubt = unsafePath(word, request);
    if (doubt !== undefined) return doubt;
  }
  for (let at = Math.max(start, 0); at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    if (word.kind !== "literal") return `what ${word.text} stands for is unknown`;
    if (/^-exec(dir)?$/.test(word.value)) {
      const { inner, end } = execPart(words, at + 1);
      const doubt = inner.length === 0 ? "find runs nothing" : request.judge(inner);
      if (doubt !== undefined) return doubt;
      at = end;
    } else if (word.value.startsWith("-") && !/^-\d+$/.test(word.value) && !tests.has(word.value)) {
      return `${word.value} of find does more than read`;
    }
  }
  return undefined;
}

/** Returns the command of an `-exec`, with a file of the folder instead of `{}`, and the position of its end. */
export function execPart(words: readonly ShellWord[], from: number): { inner: readonly ShellWord[]; end: number } {
  const length = words
    .slice(from)
    .findIndex(({ value }, index, all) => value === ";" || (value === "+" && all[index - 1]?.value === "{}"));
  const end = length < 0 ? words.length : from + length;
  return { inner: words.slice(from, end).map((word) => (word.value === "{}" ? literalWord("./{}") : word)), end };
}
