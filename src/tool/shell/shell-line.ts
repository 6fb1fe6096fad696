import {
  type ArithmeticExpression,
  type Command,
  forEachChild,
  type ParameterExpansionPart,
  parse,
  type Redirection,
  type Script,
  type SyntaxNode,
  type TestExpression,
} from "unbash";
import { type ShellWord, shellWord } from "./shell-word.ts";

/** One simple command, at any position in the line. */
export interface ShellCommand {
  /** The name comes first. Empty for a redirection or assignment without a command. */
  readonly words: readonly ShellWord[];
  /** True if `NAME=value` precedes the name. */
  readonly assigns: boolean;
  readonly redirects: readonly ShellRedirect[];
  /** The substitution in double quotes that it stands in, as written. It may be meant as text. */
  readonly quotedIn?: string | undefined;
}

export interface ShellRedirect {
  /** `none` touches no files: between descriptors, or to /dev/null. */
  readonly effect: "none" | "read" | "write";
  readonly target: ShellWord | undefined;
}

/** All commands that a line would run, and all doubts that its commands alone do not show. */
export interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** Redirections of whole groups and loops. */
  readonly redirects: readonly ShellRedirect[];
  /** True if it begins with `cd` and everything else runs only if that succeeds. */
  readonly enters: boolean;
  /** The first problem of the parser, such as an open quote. */
  readonly syntaxError: string | undefined;
  /** Each doubt is a reason to ask the user. */
  readonly unsafeReasons: readonly string[];
  /** The substitution in double quotes that the first doubt is about, as written. */
  readonly doubtfulQuote?: string | undefined;
}

/** Parses a command line as bash does. An uncertain part becomes a doubt and is never ignored. */
export function readShellLine(source: string): ShellLine {
  const line = {
    commands: [] as ShellCommand[],
    redirects: [] as ShellRedirect[],
    doubts: new Map<string, string | undefined>(),
  };
  const hidden = hiddenCharacter(source);
  if (hidden !== undefined) line.doubts.set(`it contains ${hidden}`, undefined);
  const visit = (node: SyntaxNode, quotedIn?: string): void => {
    const doubt = unsafeNodeReason(node);
    if (doubt !== undefined && !line.doubts.has(doubt)) line.doubts.set(doubt, quotedIn);
    if (node.type === "Command") line.commands.push({ ...shellCommand(node), ...(quotedIn && { quotedIn }) });
    if (node.type === "Redirected") line.redirects.push(...node.redirects.map(shellRedirect));
    if (node.type === "ExtendedGlob") forEachChild(parse(node.pattern), (child) => visit(child, quotedIn));
    const isQuote = node.type === "DoubleQuoted";
    forEachChild(node, (child) =>
      visit(child, quotedIn ?? (isQuote && child.type === "CommandExpansion" ? child.text : undefined)),
    );
  };
  const script = parse(source);
  visit(script);
  const { commands, redirects, doubts } = line;
  const syntaxError = script.errors?.[0]?.message;
  const [first] = doubts;
  return {
    commands,
    redirects,
    enters: enters(script),
    syntaxError,
    unsafeReasons: [...doubts.keys()],
    ...(first?.[1] !== undefined && { doubtfulQuote: first[1] }),
  };
}

function enters({ commands }: Script): boolean {
  const chain = commands[0]?.command;
  if (commands.length !== 1 || chain?.type !== "AndOr" || chain.operators.some((operator) => operator !== "&&"))
    return false;
  const [first] = chain.commands;
  return first?.type === "Command" && first.name?.text === "cd" && first.prefix.length === 0;
}

function shellCommand(node: Command): ShellCommand {
  const args = node.args.map((arg) =>
    arg.type === "Word"
      ? shellWord(arg)
      : { ...shellWord({ ...arg, type: "Word", value: arg.text, parts: undefined }), kind: "dynamic" as const },
  );
  return {
    words: node.name === undefined ? [] : [shellWord(node.name), ...args],
    assigns: node.prefix.some((part) => part.type === "Assignment"),
    redirects: node.redirects.map(shellRedirect),
  };
}

function shellRedirect(node: Redirection): ShellRedirect {
  if (node.type !== "Redirect") return { effect: "none", target: undefined };
  const target = node.target && shellWord(node.target);
  if (target?.kind === "literal") {
    if (target.text === "/dev/null") return { effect: "none", target };
    if ((node.operator === ">&" || node.operator === "<&") && /^(\d+-?|-)$/.test(target.value)) {
      return { effect: "none", target };
    }
  }
  return { effect: node.operator === "<" ? "read" : "write", target };
}

/** Returns why a node needs approval, whatever its commands are. */
function unsafeNodeReason(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "Script":
      return node.errors?.length ? `it cannot be parsed (${node.errors[0]?.message})` : undefined;
    case "Function":
      return "it defines a function";
    case "Coproc":
      return "it starts a coprocess";
    case "Select":
      return "it waits for input";
    case "ExtendedGlob":
      return "it contains an extended pattern";
    case "FileDescriptorVariable":
      return "it sets a variable to a descriptor";
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return node.script === undefined ? "it contains a substitution that cannot be parsed" : undefined;
    case "For":
      return /^[a-z_][a-z0-9_]*$/.test(node.name.value) && !node.name.value.endsWith("_proxy")
        ? undefined
        : `it sets ${node.name.value}`;
    case "Command":
      return node.name === undefined && node.prefix.some((part) => part.type === "Assignment")
        ? "it sets a variable"
        : undefined;
    case "ParameterExpansion":
      return unsafeExpansionReason(node);
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      return node.expression !== undefined && isPlainArithmetic(node.expression) ? undefined : computed;
    case "ArithmeticFor":
      return computed;
    case "TestUnary":
    case "TestBinary":
      return unsafeTestReason(node);
    default:
      return known.has(node.type) ? undefined : `it contains an unknown kind of syntax (${node.type})`;
  }
}

/** In these places bash evaluates the value of a variable again, and runs the substitutions in it. */
const computed = "it computes with variables, whose values bash would evaluate";

function isPlainArithmetic(node: ArithmeticExpression): boolean {
  switch (node.type) {
    case "ArithmeticWord":
      return /^\d{1,18}$/.test(node.value);
    case "ArithmeticBinary":
      return isPlainArithmetic(node.left) && isPlainArithmetic(node.right);
    case "ArithmeticUnary":
      return isPlainArithmetic(node.operand);
    case "ArithmeticTernary":
      return [node.test, node.consequent, node.alternate].every(isPlainArithmetic);
    case "ArithmeticGroup":
      return isPlainArithmetic(node.expression);
    case "ArithmeticCommandExpansion":
      return false;
  }
}

function unsafeExpansionReason(node: ParameterExpansionPart): string | undefined {
  const { index, operation } = node;
  if (node.prefix === "!") return "it reads a variable by a computed name";
  if (index !== undefined && !/^(\d+|[@*])$/.test(index.text)) return computed;
  switch (operation?.type) {
    case undefined:
    case "Remove":
    case "Replace":
    case "CaseModification":
      return undefined;
    case "Default":
      return operation.operator.endsWith("=") ? "it sets a variable" : undefined;
    case "Slice": {
      const bounds = [operation.offset, operation.length].filter((word) => word !== undefined);
      return bounds.every(({ text }) => /^\s*-?\d+$/.test(text)) ? undefined : computed;
    }
    case "Transform":
    case "Names":
    case "Unknown":
      return "it contains an expansion that bash may evaluate again";
  }
}

function unsafeTestReason(node: Extract<TestExpression, { type: "TestUnary" | "TestBinary" }>): string | undefined {
  if (node.type === "TestUnary") return /^-[vR]$/.test(node.operator) ? computed : undefined;
  if (!/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) return undefined;
  return [node.left, node.right].every(({ text }) => /^-?\d+$/.test(text)) ? undefined : computed;
}

const known: ReadonlySet<string> = new Set(
  (
    "Statement CompoundList CaseItem Elif Pipeline Time Negation AndOr Redirected If While Subshell BraceGroup " +
    "Case TestCommand TestLogical TestNot TestGroup Word Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted " +
    "LocaleString SimpleExpansion BraceExpansion Assignment ArrayValue Redirect HereString HereDoc FileDescriptor " +
    "HereDocDelimiter HereDocBody ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup " +
    "ArithmeticWord Default Remove Replace Slice CaseModification Transform Names Unknown"
  ).split(" "),
);

/**
 * Control, format, private and unassigned characters, spaces that bash does not treat as blanks, and invisible letters.
 */
const hiddenPattern = /(?![\t\n])[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\u115f|\u1160|\u3164|\uffa0|\u034f|[\ufe00-\ufe0e]/u;

/** Finds a character that people cannot see, or that changes the visible order. */
function hiddenCharacter(source: string): string | undefined {
  const found = hiddenPattern.exec(source);
  return found ? `a character that does not show (U+${codeOf(found[0])})` : undefined;
}

const codeOf = (char: string) => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

/** Replaces invisible characters by visible codes. */
export const visibleText = (text: string) =>
  text.replace(new RegExp(hiddenPattern, "gu"), (char) => `[U+${codeOf(char)}]`);
