import { unwrapCommand } from "./unwrap-command.ts";
import { scriptCarriers, wrappers } from "./programs.ts";
import { execPart } from "./read-only-find.ts";
import { readShellLine, type ShellLine, type ShellRedirect } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** A command as something that might be run: what a deny rule is held against. */
export interface PossibleCommand {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
}

export interface PossibleCommands {
  readonly possible: readonly PossibleCommand[];
  /** What else would run and cannot be told: a rule that forbids something might be got round with it. */
  readonly unknown: string | undefined;
}

const limits = { depth: 6, found: 3_000 };
/** No rule names more words than this. */
const longestRule = 24;

/**
 * Every command that a line might run, also behind wrappers and in scripts that it hands on. Where it is not certain which words are
 * the command, each of them may be: what is only perhaps run may be denied, too.
 */
export function possibleCommands(line: ShellLine): PossibleCommands {
  const search: Search = { possible: [], unknown: undefined };
  addLine(line, 0, search);
  return search;
}

interface Search {
  readonly possible: PossibleCommand[];
  unknown: string | undefined;
}

function addLine(line: ShellLine, depth: number, search: Search): void {
  if (line.redirects.length > 0) search.possible.push({ words: [], redirects: line.redirects });
  search.unknown ??= line.unsafeReasons.find((doubt) => /cannot be parsed|does not show/.test(doubt));
  for (const command of line.commands) {
    search.possible.push(command);
    addInner(command.words, depth, search);
  }
}

function addInner(words: readonly ShellWord[], depth: number, search: Search): void {
  const [first] = words;
  const name = baseName(first?.value);
  if (first === undefined || name === undefined) return;
  if (depth > limits.depth || search.possible.length > limits.found) {
    search.unknown ??= "commands are nested too deep in it";
    return;
  }
  if (first.kind !== "literal") search.unknown ??= `what ${first.text} runs is not known`;
  const rest = words.slice(1);
  if (/^(\w+=.*|!)$/s.test(name)) return addCommand(rest, depth, search);
  if (scriptCarriers.has(name)) addScripts(rest, depth, search);
  if (name === "eval") return addEvaluated(rest, depth, search);
  if (/^(find|fd|fdfind)$/.test(name)) return addExecuted(words, depth, search);
  if (name === "command" && /^-[vV]+$/.test(words[1]?.value ?? "")) return;
  const unwrapped = unwrapCommand(words);
  if (unwrapped !== undefined && unwrapped !== "unclear") return addCommand(unwrapped.inner, depth, search);
  if (wrappers.has(name)) addSuffixes(rest, depth, search);
}

function addCommand(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.length > 0) search.possible.push({ words, redirects: [] });
  addInner(words, depth + 1, search);
}

/** Any of the words may be where the command begins. */
function addSuffixes(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.length > 200) search.unknown ??= "a command with too many words runs another";
  for (let at = 0; at < Math.min(words.length, 200); at++) {
    const rest = words.slice(at, at + longestRule);
    const [first] = rest;
    search.possible.push({ words: rest, redirects: [] });
    if (first?.kind !== "literal") search.unknown ??= `what ${first?.text} runs is not known`;
    else if (/\s/.test(first.value)) addScript(first.value, depth, search);
    if (scriptCarriers.has(baseName(first?.value) ?? "")) addScripts(rest.slice(1), depth, search);
    if (first?.value === "eval") addEvaluated(rest.slice(1), depth, search);
  }
}

/** The commands that a search runs on what it finds. */
function addExecuted(words: readonly ShellWord[], depth: number, search: Search): void {
  for (let at = 1; at < words.length; at++) {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(words[at]?.value ?? "")) continue;
    const { inner, end } = execPart(words, at + 1);
    addCommand(inner, depth, search);
    at = end;
  }
}

/** What `eval` is given is only read when it is written in one piece; put together from several, it is not told apart. */
function addEvaluated(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.some(({ kind, pieced }) => kind !== "literal" || pieced)) {
    search.unknown ??= "what eval runs is not known";
    return;
  }
  addScript(words.map(({ value }) => value).join(" "), depth, search);
}

function addScripts(words: readonly ShellWord[], depth: number, search: Search): void {
  for (const { kind, value, text } of words.slice(0, 100)) {
    if (kind !== "literal") search.unknown ??= `what ${text} runs is not known`;
    else if (!value.startsWith("-")) addScript(value, depth, search);
  }
}

function addScript(script: string, depth: number, search: Search): void {
  if (depth >= limits.depth || search.possible.length > limits.found)
    search.unknown ??= "commands are nested too deep in it";
  else addLine(readShellLine(script), depth + 1, search);
}

/** A program's name without its folder. */
export function baseName(name: string | undefined): string | undefined {
  return name?.slice(name.lastIndexOf("/") + 1);
}
