import type { ShellRedirect } from "./shell-line.ts";
import { literalWord, type ShellWord } from "./shell-word.ts";

const every = new Set(
  "rm rmdir unlink shred mv ln touch truncate mkdir chmod chown chgrp tee sponge mknod mkfifo patch ed ex".split(" "),
);
const last = new Set("cp install rsync scp link".split(" "));

/** Returns the words that name the files a command would write, as far as its name shows. */
export function writtenWords(words: readonly ShellWord[], redirects: readonly ShellRedirect[]): readonly ShellWord[] {
  const targets = redirects.flatMap(({ effect, target }) => (effect === "write" && target ? [target] : []));
  const base = words[0]?.value.slice(words[0].value.lastIndexOf("/") + 1) ?? "";
  const operands = words.slice(1).filter(({ value }) => !value.startsWith("-"));
  const values = words.slice(1).flatMap((word) => afterEquals(word));
  if (every.has(base)) return [...targets, ...operands, ...values];
  if (last.has(base)) return [...targets, ...operands.slice(-1), ...targetFolder(words), ...values];
  if (base === "dd") return [...targets, ...values];
  if (
    (base === "sed" || base === "perl" || base === "ruby") &&
    words.some(({ value }) => /^-[a-zA-Z]*i|^--in-place/.test(value))
  ) {
    return [...targets, ...operands];
  }
  if (base === "tar" || base === "unzip" || base === "git") return [...targets, ...targetFolder(words)];
  if (base === "sort" || base === "curl" || base === "wget") return [...targets, ...targetFolder(words), ...values];
  if (base === "uniq") return [...targets, ...operands.slice(1)];
  return targets;
}

/** `of=FILE`, `--target-directory=FOLDER`. */
function afterEquals(word: ShellWord): ShellWord[] {
  const at = word.value.indexOf("=");
  if (at < 0) return [];
  const value = word.value.slice(at + 1);
  return [{ ...literalWord(value), kind: word.kind, tilde: value.startsWith("~") }];
}

/** Returns the word after -t, -C, -d, -o and similar options, also if it is attached. */
const targetFolder = (words: readonly ShellWord[]) =>
  words.flatMap((word, index) => {
    const attached = /^-[a-zA-Z]*?[tCdoOPD](.+)$/s.exec(word.value)?.[1];
    const isNext = /^(-[a-zA-Z]*[tCdoOPD]|--target-directory|--directory|--output|--output-directory)$/.test(
      words[index - 1]?.value ?? "",
    );
    return [
      ...(isNext ? [word] : []),
      ...(attached === undefined ? [] : [{ ...literalWord(attached), kind: word.kind }]),
    ];
  });
