import { unwrapCommand } from "./unwrap-command.ts";
import { scriptCarriers, wrappers } from "./programs.ts";
import { execPart } from "./looking/read-only-find.ts";
import { inputScripts, unknownCodeReason } from "./unknown-code.ts";
import { readShellLine, type ShellLine, type ShellRedirect } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** A command that might run. Deny rules are matched against it. */
export interface PossibleCommand {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
}

export interface PossibleCommands {
  readonly possible: readonly PossibleCommand[];
  /** Names a part that would run but is unknown, so that a deny rule might be bypassed. */
  readonly unknown: string | undefined;
}

const limits = { depth: 6, found: 3_000 };
/** Maximum number of words in a rule. */
const longestRule = 24;

/**
 * Returns every command that a line might run, including those behind wrappers and in scripts that it passes to a
 * shell. If it is unclear where a command begins, every position is tried: a deny rule may also match a command that
 * only might run.
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
  search.unknown ??= line.unsafeReasons[0];
  for (const command of line.commands) {
    search.possible.push(command);
    search.unknown ??= unknownCodeReason(command);
    for (const script of inputScripts(command)) {
      if (script === undefined)
        search.unknown ??= `what ${command.words[0]?.text ?? "it"} reads from its input is unknown`;
      else addScript(script, depth, search);
    }
    addInner(command.words, depth, search);
  }
}

function addInner(words: readonly ShellWord[], depth: number, search: Search): void {
  const [first] = words;
  const name = baseName(first?.value);
  if (first === undefined || name === undefined) return;
  if (depth > limits.depth || search.possible.length > limits.found) {
    search.unknown ??= "its commands are nested too deeply";
    return;
  }
  if (first.kind !== "literal") search.unknown ??= `what ${first.text} runs is unknown`;
  const rest = words.slice(1);
  if (/^(\w+=.*|!)$/s.test(name)) return addCommand(rest, depth, search);
  if (scriptCarriers.has(name)) addScripts(rest, depth, search);
  if (name === "eval") return addEvaluated(rest, depth, search);
  if (/^(find|fd|fdfind)$/.test(name)) return addExecuted(words, depth, search);
  if (name === "command" && /^-[vV]+$/.test(words[1]?.value ?? "")) return;
  const unwrapped = unwrapCommand(words);
  if (unwrapped !== undefined && unwrapped !== "unclear") {
    search.unknown ??= unknownCodeReason({ words: unwrapped.inner });
    return addCommand(unwrapped.inner, depth, search);
  }
  if (wrappers.has(name)) addSuffixes(rest, depth, search);
}

function addCommand(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.length > 0) search.possible.push({ words, redirects: [] });
  addInner(words, depth + 1, search);
}

/** The command may begin at any of the words. */
function addSuffixes(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.length > 200) search.unknown ??= "it runs a command with too many words";
  for (let at = 0; at < Math.min(words.length, 200); at++) {
    const rest = words.slice(at, at + longestRule);
    const [first] = rest;
    search.possible.push({ words: rest, redirects: [] });
    if (first?.kind !== "literal") search.unknown ??= `what ${first?.text} runs is unknown`;
    else if (/\s/.test(first.value)) addScript(first.value, depth, search);
    if (scriptCarriers.has(baseName(first?.value) ?? "")) addScripts(rest.slice(1), depth, search);
    if (first?.value === "eval") addEvaluated(rest.slice(1), depth, search);
  }
}

/** Adds the commands that find or fd runs on its results. */
function addExecuted(words: readonly ShellWord[], depth: number, search: Search): void {
  for (let at = 1; at < words.length; at++) {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(words[at]?.value ?? "")) continue;
    const { inner, end } = execPart(words, at + 1);
    addCommand(inner, depth, search);
    at = end;
  }
}

/** Reads the argument of `eval` only if each word is one literal piece. Otherwise it is unknown. */
function addEvaluated(words: readonly ShellWord[], depth: number, search: Search): void {
  if (words.some(({ kind, pieced }) => kind !== "literal" || pieced)) {
    search.unknown ??= "what eval runs is unknown";
    return;
  }
  addScript(words.map(({ value }) => value).join(" "), depth, search);
}

function addScripts(words: readonly ShellWord[], depth: number, search: Search): void {
  for (const { kind, value, text } of words.slice(0, 100)) {
    if (kind !== "literal") search.unknown ??= `what ${text} runs is unknown`;
    else if (!value.startsWith("-")) addScript(value, depth, search);
  }
}

function addScript(script: string, depth: number, search: Search): void {
  if (depth >= limits.depth || search.possible.length > limits.found)
    search.unknown ??= "its commands are nested too deeply";
  else addLine(readShellLine(script), depth + 1, search);
}

export function baseName(name: string | undefined): string | undefined {
  return name?.slice(name.lastIndexOf("/") + 1);
}
