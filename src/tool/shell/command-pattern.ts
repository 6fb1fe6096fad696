import { runnerWords } from "./programs.ts";
import { readShellLine } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** The parsed specifier of a `Bash(…)` rule. */
export interface CommandPattern {
  /** The whole text, which matches a command line of exactly that text. */
  readonly text: string;
  readonly everything: boolean;
  /** The words of one simple command; undefined for any other text. `null` stands for one or more words. */
  readonly words: readonly (string | RegExp | null)[] | undefined;
  /** More words may follow. */
  readonly open: boolean;
}

/**
 * Parses `git status`, `npm run test:*`, `git log *`, `npm run *`, `*`. A prefix consists of whole words: `ls:*` does
 * not match `lsof`.
 */
export function commandPattern(specifier: string): CommandPattern {
  const text = specifier.trim();
  if (text === "*" || text === ":*") return { text, everything: true, words: [], open: true };
  const open = /(?::| )\*$/.test(text);
  const named = open ? text.replace(/\s*(?::| )\*$/, "") : text;
  const { commands, redirects, unsafeReasons: doubts } = readShellLine(named);
  const [only] = commands;
  const simple = commands.length === 1 && redirects.length === 0 && doubts.length === 0 && only?.redirects.length === 0;
  if (!simple || only.assigns) {
    return { text, everything: false, words: open ? named.split(/\s+/) : undefined, open };
  }
  return {
    text,
    everything: false,
    words: only.words.map(wordTest),
    open: open || only.words.at(-1)?.text.endsWith("*") === true,
  };
}

function wordTest({ kind, text, value }: ShellWord): string | RegExp | null {
  if (kind === "literal") return value;
  if (text === "*") return null;
  return kind === "pattern" ? new RegExp(`^${value.split("*").map(escaped).join(".*")}$`, "s") : text;
}

/**
 * True for a rule such as `Bash(node:*)`: it names a program that runs any code it is given, and leaves the rest open.
 * It would allow nothing if it did not allow that.
 */
export function allowsAnyCode({ words, open, everything }: CommandPattern): boolean {
  if (!open || everything || typeof words?.[0] !== "string") return false;
  const second = words[1];
  const length = runnerWords(words[0], typeof second === "string" ? second : undefined);
  return length !== undefined && words.length >= length;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * Returns how many words of a command the pattern names, or undefined if it does not match. Unknown words are
 * `undefined`.
 */
export function matchCommand(pattern: CommandPattern, values: readonly (string | undefined)[]): number | undefined {
  if (pattern.everything) return 0;
  if (pattern.words === undefined || pattern.words.length === 0) return undefined;
  if (!matchFrom(pattern, { values, word: 0, at: 0 })) return undefined;
  return pattern.words.includes(null) ? 1 : pattern.words.length;
}

interface Place {
  readonly values: readonly (string | undefined)[];
  readonly word: number;
  readonly at: number;
}

function matchFrom(pattern: CommandPattern, { values, word, at }: Place): boolean {
  const test = pattern.words?.[word];
  if (test === undefined) return pattern.open || at === values.length;
  if (at >= values.length) return false;
  if (test === null) {
    for (let next = at + 1; next <= values.length; next++) {
      if (matchFrom(pattern, { values, word: word + 1, at: next })) return true;
    }
    return false;
  }
  const value = values[at];
  if (value === undefined || !(typeof test === "string" ? test === value : test.test(value))) return false;
  return matchFrom(pattern, { values, word: word + 1, at: at + 1 });
}
