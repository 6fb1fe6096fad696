import type { DoubleQuotedChild, Word, WordPart } from "unbash";

/**
 * A word of a command. `literal`: its value is known. `pattern`: file names that match the pattern or braces. `single`:
 * exactly one word of unknown text (`"$x"`). `dynamic`: any number of words of any text.
 */
export interface ShellWord {
  readonly kind: "literal" | "pattern" | "single" | "dynamic";
  /** As written. */
  readonly text: string;
  /** The value in the shell, as far as it is known. That is enough for a deny rule. */
  readonly value: string;
  /** True if it begins with an unquoted `~`. */
  readonly tilde: boolean;
  /** The certain beginning of its value; empty for a pattern that begins with `*`. */
  readonly head: string;
  /** True if it consists of several quoted pieces. */
  readonly pieced: boolean;
  /** True if it stands for one word of the input of `xargs -I`. */
  readonly isInput?: boolean | undefined;
  /** Every word that it can stand for, if its only unknown part is the variable of a loop over known words. */
  readonly choices?: readonly ShellWord[] | undefined;
}

/** The words that the variable of each loop around a command can stand for. */
export type LoopValues = ReadonlyMap<string, readonly ShellWord[]>;

export function shellWord(word: Word, values: LoopValues = new Map()): ShellWord {
  const parts = word.parts ?? [];
  const kind = parts.reduce<ShellWord["kind"]>((worst, part) => worse(worst, kindOf(part)), "literal");
  const first = parts[0];
  const value = kind === "literal" || first === undefined ? word.value : parts.map(valueOf).join("");
  const head = kind === "literal" ? value : first && kindOf(first) === "literal" ? valueOf(first) : "";
  const choices = kind === "single" || kind === "dynamic" ? choicesOf(parts, values) : undefined;
  return {
    kind,
    text: word.text,
    value,
    tilde: word.text.startsWith("~"),
    head,
    pieced: parts.length > 1,
    ...(choices && { choices }),
  };
}

const mostChoices = 64;

/** Puts each value of the loops in the place of the variable. Undefined if another part is unknown. */
function choicesOf(parts: readonly WordPart[], values: LoopValues): readonly ShellWord[] | undefined {
  let found: readonly ShellWord[] = [literalWord("")];
  for (const part of parts) {
    const pieces = part.type === "DoubleQuoted" ? part.parts : [part];
    for (const piece of pieces) {
      const choices = pieceChoices(piece, values, part.type === "DoubleQuoted");
      if (choices === undefined || choices.length * found.length > mostChoices) return undefined;
      found = found.flatMap((before) => choices.map((choice) => joined(before, choice)));
    }
  }
  return found;
}

function pieceChoices(
  piece: WordPart | DoubleQuotedChild,
  values: LoopValues,
  quoted: boolean,
): readonly ShellWord[] | undefined {
  if (piece.type === "Literal" || piece.type === "SingleQuoted" || piece.type === "AnsiCQuoted")
    return [literalWord(piece.value)];
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(piece.text);
  const choices = name && values.get(name[1] ?? name[2] ?? "");
  if (!choices) return undefined;
  // Without quotes bash splits the value into words, and reads patterns in it.
  return quoted || choices.every(({ kind, value }) => kind === "literal" && /^[\w./@:+,=-]+$/.test(value))
    ? choices
    : undefined;
}

function joined(a: ShellWord, b: ShellWord): ShellWord {
  const value = a.value + b.value;
  return { ...literalWord(value), kind: worse(a.kind, b.kind), head: a.kind === "literal" ? a.head + b.head : a.head };
}

/** A literal word that is not from the source. */
export const literalWord = (value: string): ShellWord => ({
  kind: "literal",
  text: value,
  value,
  tilde: false,
  head: value,
  pieced: false,
});

const order = ["literal", "pattern", "single", "dynamic"] as const;
const worse = (a: ShellWord["kind"], b: ShellWord["kind"]) => (order.indexOf(a) >= order.indexOf(b) ? a : b);

function kindOf(part: WordPart): ShellWord["kind"] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return "literal";
    case "DoubleQuoted":
      return quotedKind(part.parts);
    case "Glob":
      return "pattern";
    case "BraceExpansion":
      return /^\{[\w][\w.-]*(,[\w][\w.-]*)+\}$/.test(part.text) && !part.text.includes("..") ? "pattern" : "dynamic";
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      return "single";
    case "LocaleString":
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ExtendedGlob":
      return "dynamic";
  }
}

function quotedKind(parts: readonly DoubleQuotedChild[]): ShellWord["kind"] {
  if (parts.every((part) => part.type === "Literal")) return "literal";
  return parts.some((part) => part.type !== "CommandExpansion" && /^\$\{?[!#]?[@*]|\[[@*]\]|@\}$/.test(part.text))
    ? "dynamic"
    : "single";
}

function valueOf(part: WordPart): string {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") {
    return part.parts.map((child) => (child.type === "Literal" ? child.value : child.text)).join("");
  }
  return "value" in part ? part.value : part.text;
}
