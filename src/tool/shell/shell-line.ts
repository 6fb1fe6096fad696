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
import { expansionOpeners, type HereDocument } from "./expansion-openers.ts";
import { changesShell } from "./programs.ts";
import { type LoopValues, type ShellWord, shellWord } from "./shell-word.ts";

/** One simple command, at any position in the line. */
export interface ShellCommand {
  /** The name comes first. Empty for a redirection or assignment without a command. */
  readonly words: readonly ShellWord[];
  /** True if `NAME=value` precedes the name. */
  readonly assigns: boolean;
  /** True if it only sets `IFS` to nothing before the name. */
  readonly emptiesIfs?: boolean | undefined;
  /** The names that are set before the command. */
  readonly assigned?: readonly string[] | undefined;
  readonly redirects: readonly ShellRedirect[];
  /** The substitution in double quotes that it stands in, as written. It may be meant as text. */
  readonly quotedIn?: string | undefined;
  /** True if it reads the output of the command before it in a pipe. */
  readonly isPiped?: boolean | undefined;
  /** True if it may run more than once. */
  readonly repeats?: boolean | undefined;
  /** The command that writes to its input through a pipe. */
  readonly source?: ShellCommand | undefined;
}

export interface ShellRedirect {
  /** `none` touches no files: between descriptors, or to /dev/null. */
  readonly effect: "none" | "read" | "write";
  readonly target: ShellWord | undefined;
  /** The text of a here-document or here-string. `known` is false if it contains expansions. */
  readonly document?: { readonly text: string; readonly known: boolean } | undefined;
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
  const script = parse(source);
  const reading: Reading = {
    commands: [],
    redirects: [],
    doubts: new Map(),
    expansions: new Map(),
    documents: [],
    pipes: new Map(),
    loops: loopNames(script),
  };
  const hidden = hiddenCharacter(source);
  if (hidden !== undefined) reading.doubts.set(`it contains ${hidden}`, undefined);
  visit(script, { values: new Map(), repeats: false, inBackquotes: false }, reading);
  const unread = unreadExpansion(source, reading);
  if (unread !== undefined) reading.doubts.set(unread, undefined);
  const { doubts } = reading;
  const [first] = doubts;
  const isFixed = doubts.size === 0 && !reading.commands.some(setsVariables);
  return {
    commands: isFixed ? reading.commands : reading.commands.map(withoutChoices),
    redirects: isFixed ? reading.redirects : reading.redirects.map(redirectWithoutChoices),
    enters: enters(script),
    syntaxError: script.errors?.[0]?.message,
    unsafeReasons: [...doubts.keys()],
    ...(first?.[1] !== undefined && { doubtfulQuote: first[1] }),
  };
}

/** True for commands that could give the variable of a loop another value. */
const setsVariables = ({ words, assigns }: ShellCommand) =>
  assigns ||
  (words[0] !== undefined && (words[0].kind !== "literal" || changesShell(words[0].value))) ||
  (/^(printf|wait)$/.test(words[0]?.value ?? "") && words.some(({ value }) => /^-[vp]/.test(value)));

function withoutChoices(command: ShellCommand): ShellCommand {
  const { source } = command;
  return {
    ...command,
    words: command.words.map(wordWithoutChoices),
    redirects: command.redirects.map(redirectWithoutChoices),
    ...(source && { source: withoutChoices(source) }),
  };
}

const wordWithoutChoices = (word: ShellWord): ShellWord => ({ ...word, choices: undefined });
const redirectWithoutChoices = (redirect: ShellRedirect): ShellRedirect => ({
  ...redirect,
  target: redirect.target && wordWithoutChoices(redirect.target),
});

interface Reading {
  readonly commands: ShellCommand[];
  readonly redirects: ShellRedirect[];
  readonly doubts: Map<string, string | undefined>;
  /** The expansions that the parser found: where they begin and end. */
  readonly expansions: Map<number, number>;
  readonly documents: HereDocument[];
  /** The node that writes into the pipe before this one. */
  readonly pipes: Map<SyntaxNode, { readonly before: SyntaxNode; readonly operator: string | undefined }>;
  /** How often each name is set by a loop. */
  readonly loops: ReadonlyMap<string, number>;
}

/** Where a node stands. */
interface Surrounding {
  readonly quotedIn?: string | undefined;
  readonly values: LoopValues;
  readonly repeats: boolean;
  readonly inBackquotes: boolean;
}

function visit(node: SyntaxNode, at: Surrounding, reading: Reading): void {
  const { quotedIn } = at;
  const doubt = unsafeNodeReason(node);
  if (doubt !== undefined && !reading.doubts.has(doubt)) reading.doubts.set(doubt, quotedIn);
  if (isExpansion(node) && !at.inBackquotes) reading.expansions.set(node.pos, node.end);
  if (node.type === "HereDoc")
    reading.documents.push({ from: node.body.pos, to: node.body.end, quoted: node.delimiter?.quoted === true });
  if (node.type === "Pipeline")
    for (const [index, command] of node.commands.entries()) {
      const before = node.commands[index - 1];
      if (before) reading.pipes.set(command, { before, operator: node.operators[index - 1] });
    }
  if (node.type === "Command") addCommand(node, at, reading);
  if (node.type === "Redirected")
    reading.redirects.push(...node.redirects.map((each) => shellRedirect(each, at.values)));
  if (node.type === "ExtendedGlob") forEachChild(parse(node.pattern), (child) => visit(child, at, reading));
  const isQuote = node.type === "DoubleQuoted";
  const inBackquotes = at.inBackquotes || (node.type === "CommandExpansion" && node.text.startsWith("`"));
  forEachChild(node, (child) => {
    const quote = quotedIn ?? (isQuote && child.type === "CommandExpansion" ? child.text : undefined);
    const inner = { ...at, inBackquotes, quotedIn: quote };
    visit(
      child,
      isLoopPart(node, child) ? { ...inner, repeats: true, values: loopValues(node, at, reading) } : inner,
      reading,
    );
  });
}

function addCommand(node: Command, at: Surrounding, { commands, pipes }: Reading): void {
  const pipe = pipes.get(node);
  const isPlain = pipe?.operator === "|" && pipe.before.type === "Command";
  const source = isPlain ? shellCommand(pipe.before, at.values) : undefined;
  commands.push({
    ...shellCommand(node, at.values),
    ...(at.quotedIn && { quotedIn: at.quotedIn }),
    ...(at.repeats && { repeats: true }),
    ...(pipe && { isPiped: true }),
    ...(source && { source }),
  });
}

const isExpansion = (node: SyntaxNode): node is Extract<SyntaxNode, { pos: number; end: number }> =>
  node.type === "CommandExpansion" ||
  node.type === "ProcessSubstitution" ||
  node.type === "ArithmeticExpansion" ||
  node.type === "ArithmeticCommandExpansion" ||
  node.type === "ParameterExpansion";

const isLoopPart = (node: SyntaxNode, child: SyntaxNode) =>
  (node.type === "For" && child === node.body) || node.type === "While" || node.type === "ArithmeticFor";

/** The values of a variable that only one loop sets, in the body of that loop. */
function loopValues(node: SyntaxNode, { values }: Surrounding, { loops }: Reading): LoopValues {
  if (node.type !== "For") return values;
  const next = new Map(values);
  next.delete(node.name.value);
  const words = node.wordlist?.map((word) => shellWord(word, values)) ?? [];
  const isKnown = words.every(({ kind, tilde }) => (kind === "literal" || kind === "pattern") && !tilde);
  if (isKnown && words.length > 0 && words.length <= 64 && loops.get(node.name.value) === 1)
    next.set(node.name.value, words);
  return next;
}

function loopNames(script: Script): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const count = (node: SyntaxNode): void => {
    if (node.type === "For") names.set(node.name.value, (names.get(node.name.value) ?? 0) + 1);
    forEachChild(node, count);
  };
  count(script);
  return names;
}

/** Compares the expansions that the parser found with its own count. */
function unreadExpansion(source: string, { expansions, documents }: Reading): string | undefined {
  const { spans, nested } = expansionOpeners(source, documents);
  if (nested) return "it contains an expansion inside backquotes or quoted braces";
  const isSame = spans.size === expansions.size && [...spans].every(([from, to]) => expansions.get(from) === to);
  return isSame ? undefined : "it contains an expansion that cannot be read with certainty";
}

/** True if the line begins with a plain `cd` and everything else runs only after it. */
function enters({ commands }: Script): boolean {
  const chain = commands[0]?.command;
  if (commands.length !== 1 || chain?.type !== "AndOr" || chain.operators.some((operator) => operator !== "&&"))
    return false;
  const [first] = chain.commands;
  return (
    first?.type === "Command" &&
    first.name?.text === "cd" &&
    first.prefix.length === 0 &&
    first.redirects.length === 0 &&
    first.args.every((arg) => arg.type === "Word" && shellWord(arg).kind === "literal")
  );
}

function shellCommand(node: Command, values: LoopValues): ShellCommand {
  const args = node.args.map((arg) =>
    arg.type === "Word"
      ? shellWord(arg, values)
      : { ...shellWord({ ...arg, type: "Word", value: arg.text, parts: undefined }), kind: "dynamic" as const },
  );
  return {
    words: node.name === undefined ? [] : [shellWord(node.name), ...args],
    assigns: node.prefix.some((part) => part.type === "Assignment"),
    assigned: node.prefix.flatMap((part) => (part.type === "Assignment" ? [part.name] : [])),
    emptiesIfs: node.prefix.length === 1 && node.prefix[0]?.type === "Assignment" && node.prefix[0].text === "IFS=",
    redirects: node.redirects.map((each) => shellRedirect(each, values)),
  };
}

function shellRedirect(node: Redirection, values: LoopValues): ShellRedirect {
  if (node.type === "HereDoc") {
    const known = node.delimiter?.quoted === true || !/[$`\\]/.test(node.body.text);
    return { effect: "none", target: undefined, document: { text: node.body.text, known } };
  }
  const target = node.target && shellWord(node.target, values);
  if (node.type === "HereString")
    return {
      effect: "none",
      target: undefined,
      document: { text: target?.value ?? "", known: target?.kind === "literal" },
    };
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
