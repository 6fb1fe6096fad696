import type { ShellWord } from "./shell-word.ts";

/** The command that a wrapper runs. `appends`: it gets more arguments from its input, or words of it in their place. */
export interface UnwrappedCommand {
  readonly inner: readonly ShellWord[];
  readonly appends: boolean;
}

interface Wrapper {
  /** Letters of its known options; a letter followed by `:` takes a value. */
  readonly short: string;
  readonly long: readonly string[];
  /** Recognizes the wrapper's own argument before the command, if it has one. */
  readonly own?: (word: string) => boolean;
}

/** The wrappers that can be removed: they start a command unchanged and do not alter its effect. */
const table: Readonly<Record<string, Wrapper>> = {
  env: { short: "", long: [] },
  timeout: {
    short: "k:s:v",
    long: ["kill-after", "signal", "verbose", "foreground", "preserve-status"],
    own: (word) => /^[\d.]+[smhd]?$/.test(word),
  },
  nice: { short: "n:", long: ["adjustment"] },
  nohup: { short: "", long: [] },
  command: { short: "", long: [] },
  time: { short: "pv", long: ["portability", "verbose"] },
  stdbuf: { short: "i:o:e:", long: ["input", "output", "error"] },
  xargs: {
    short: "0rtxn:P:L:d:s:I:",
    long: ["null", "no-run-if-empty", "max-args", "max-procs", "delimiter", "verbose", "max-lines"],
  },
};

/** Returns undefined if the command has no such wrapper, and `unclear` if the inner command cannot be determined. */
export function unwrapCommand(words: readonly ShellWord[]): UnwrappedCommand | "unclear" | undefined {
  const [first, ...rest] = words;
  if (first?.kind !== "literal" || !Object.hasOwn(table, first.value)) return undefined;
  const wrapper = table[first.value];
  if (!wrapper) return undefined;
  const at = afterOptions(rest, wrapper);
  if (at === undefined) return "unclear";
  const skip = wrapper.own ? 1 : 0;
  if (wrapper.own && !(rest[at]?.kind === "literal" && wrapper.own(rest[at].value))) return "unclear";
  const inner = rest.slice(at + skip);
  const name = inner[0];
  if (name === undefined || (first.value === "env" && /[=]/.test(name.value))) return "unclear";
  if (first.value !== "xargs") return { inner, appends: false };
  const replaced = replacedTexts(rest.slice(0, at));
  return {
    // Other words come in the place of the text, also where the name of a command stands.
    inner: inner.map((word) =>
      replaced.some((text) => word.value.includes(text)) ? unknownWord(word, replaced) : word,
    ),
    appends: true,
  };
}

/** Returns the texts that `xargs -I` replaces. */
function replacedTexts(options: readonly ShellWord[]): readonly string[] {
  return options.flatMap(({ value }, index) => {
    const attached = /^-[0rtx]*I(.*)$/s.exec(value)?.[1];
    if (attached === undefined) return [];
    return [attached || (options[index + 1]?.value ?? "")];
  });
}

const unknownWord = (word: ShellWord, [text]: readonly string[]): ShellWord => ({
  ...word,
  kind: "dynamic",
  head: "",
  isInput: word.value === text,
});

function afterOptions(words: readonly ShellWord[], { short, long }: Wrapper): number | undefined {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word?.kind !== "literal") return word?.head && !word.head.startsWith("-") ? at : undefined;
    const { value } = word;
    if (value === "--") return at + 1;
    if (!value.startsWith("-") || value === "-") return at;
    if (value.startsWith("--")) {
      const [name = "", given] = value.slice(2).split("=", 2);
      if (!long.includes(name)) return undefined;
      const bare =
        given === undefined && !/^(verbose|foreground|preserve-status|null|no-run-if-empty|portability)$/.test(name);
      if (bare) return undefined;
      continue;
    }
    const takes = takesNext(value.slice(1), short);
    if (takes === undefined) return undefined;
    if (takes) at += 1;
  }
  return at;
}

/** True if a cluster of letters takes the next word as a value; undefined if it has an unknown letter. */
function takesNext(letters: string, short: string): boolean | undefined {
  for (let i = 0; i < letters.length; i++) {
    const place = short.indexOf(letters[i] ?? "");
    if (place < 0 || letters[i] === ":") return undefined;
    if (short[place + 1] === ":") return i === letters.length - 1;
  }
  return false;
}
