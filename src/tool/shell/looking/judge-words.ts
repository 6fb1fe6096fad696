import { sortArguments } from "./arguments.ts";
import type { ReadOnly } from "./read-only-programs.ts";
import { unsafeRecursionReason } from "./read-only-trees.ts";
import type { ShellWord } from "../shell-word.ts";
import { hasChoiceWithDash, type ReadContext, unsafePath, unsafeText } from "./unsafe-path.ts";

export interface ReadOnlyRequest extends ReadContext {
  readonly words: readonly ShellWord[];
  /** More arguments come from its input (`xargs`). */
  readonly appends: boolean;
}

export const notListedReason = (name: string) => `${name} is not among the read-only commands`;

/** Judges every word of a program: its options by the table, and all others by what the kernel would open. */
export function judgeListed(
  request: ReadOnlyRequest,
  program: ReadOnly | undefined,
  words: readonly ShellWord[],
): string | undefined {
  const name = request.words[0]?.value ?? "";
  if (!program) return notListedReason(name);
  const found = sortArguments(words, program);
  if ("why" in found) return found.why;
  const { options, values, operands } = found;
  const value = values.map((word) => unsafeText(word, request)).find((why) => why !== undefined);
  if (value !== undefined) return value;
  if (program.operands === "none" && operands.length > 0) return `${name} has the argument ${operands[0]?.text}`;
  if (program.most !== undefined && operands.length > program.most) return `${name} writes to its last argument`;
  if (program.operands === "text") return textReason(operands);
  const isGiven = ["e", "regexp", "f", "files"].some((option) => options.has(option));
  const texts = program.operands === "pattern" && !isGiven ? operands.slice(0, 1) : [];
  const files = operands.slice(texts.length);
  return (
    texts.map((word) => patternReason(word)).find((why) => why !== undefined) ??
    judgeFiles(request, files) ??
    unsafeRecursionReason(name, { options, values, files }, request)
  );
}

/** The text to search for. It is harmless as long as it is one word that cannot be an option. */
function patternReason(word: ShellWord): string | undefined {
  if (word.kind === "single" && word.head !== "" && !word.head.startsWith("-")) return undefined;
  return word.kind === "literal" ? undefined : `what ${word.text} stands for is unknown`;
}

/** Words that are only printed or compared. They must not become options. */
function textReason(words: readonly ShellWord[]): string | undefined {
  const bad = words.find(
    ({ kind, head }) => kind === "dynamic" || (kind !== "literal" && (head === "" || head.startsWith("-"))),
  );
  return bad && `what ${bad.text} stands for is unknown`;
}

export function judgeFiles(request: ReadOnlyRequest, words: readonly ShellWord[]): string | undefined {
  const name = request.words[0]?.value ?? "";
  for (const word of words) {
    if (word.text.startsWith("<(") && word.kind === "single") continue;
    if (word.value === "-" && word.kind === "literal") continue;
    if (hasChoiceWithDash(word, request)) return `${word.text} could stand for an option`;
    const doubt = unsafePath(word, request);
    if (doubt !== undefined) return doubt;
    if (word.kind === "pattern" && (word.head === "" || word.head.startsWith("-")) && !keepsOptions.has(name))
      return `${word.text} could stand for an option`;
  }
  return undefined;
}

/** Programs whose options change only what is shown. The names in the folder have been checked all the same. */
const keepsOptions = new Set(
  "ls cat head tail wc grep egrep fgrep stat du md5sum sha1sum sha256sum cksum nl tac rev cut file".split(" "),
);
