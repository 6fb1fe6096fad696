import type { ReadOnly } from "./read-only-programs.ts";
import type { ShellWord } from "../shell-word.ts";

/** The words of a command, sorted by what the program takes them for. */
export interface Arguments {
  /** Names of the given options, without dashes. */
  readonly options: ReadonlySet<string>;
  /** Words that are values of options. */
  readonly values: readonly ShellWord[];
  readonly operands: readonly ShellWord[];
}

/**
 * Sorts the words as `getopt_long` does. Every option must be among those known to be harmless. A value of an option
 * could still be taken for a file by another version of the program: it is judged as well.
 */
export function sortArguments(words: readonly ShellWord[], program: ReadOnly): Arguments | { readonly why: string } {
  const options = new Set<string>();
  const values: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    if (word.value === "--" && word.kind === "literal") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.head.startsWith("-") || (word.value === "-" && word.kind === "literal")) {
      operands.push(word);
      continue;
    }
    // Whatever bash puts in the place of `--include=*.ts` begins with `--include=`.
    const isFixed = word.kind === "literal" || (word.kind === "pattern" && /^--[\w-]+=/.test(word.head));
    if (!isFixed) return { why: `${word.text} is not known to be harmless` };
    if (/^-\d+$/.test(word.value)) continue;
    const read = word.value.startsWith("--") ? readLong(word, program.long) : readCluster(word, program.short);
    if (read === undefined) return { why: `the option ${word.value} is not known to be harmless` };
    for (const name of read.names) options.add(name);
    if (read.value !== undefined) values.push({ ...word, value: read.value, head: read.value });
    if (!read.takesNext) continue;
    const next = words[++at];
    if (next?.kind === "dynamic" || next?.kind === "pattern") return { why: `what ${next.text} stands for is unknown` };
    if (next) values.push(next);
  }
  return { options, values, operands };
}

interface Option {
  readonly names: readonly string[];
  readonly value: string | undefined;
  readonly takesNext: boolean;
}

/** In the table `name=` takes a value; `name` takes none, or only after an equals sign. */
function readLong({ value }: ShellWord, long = ""): Option | undefined {
  const [, name = "", given] = /^--([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
  if (!/^[\w-]+$/.test(name)) return undefined;
  const padded = ` ${long} `;
  const takesValue = padded.includes(` ${name}= `);
  if (!takesValue && !padded.includes(` ${name} `)) return undefined;
  return { names: [name], value: given, takesNext: takesValue && given === undefined };
}

/** In the table `:` follows a letter that takes a value, and `;` one whose value is always attached. */
function readCluster({ value }: ShellWord, short = ""): Option | undefined {
  const names: string[] = [];
  for (let at = 1; at < value.length; at++) {
    const letter = value[at] ?? "";
    const place = short.indexOf(letter);
    if (place < 0 || letter === ":" || letter === ";") return undefined;
    names.push(letter);
    const rest = value.slice(at + 1);
    if (short[place + 1] === ":") return { names, value: rest || undefined, takesNext: rest === "" };
    if (short[place + 1] === ";") return { names, value: rest || undefined, takesNext: false };
  }
  return { names, value: undefined, takesNext: false };
}
