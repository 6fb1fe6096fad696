import { peel } from "./peel.ts";
import { scriptCarriers, wrappers } from "./programs.ts";
import { execPart } from "./read-only-find.ts";
import { readShellLine, type ShellLine, type ShellRedirect } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** A command as something that might be run: what a deny rule is held against. */
export interface PossibleCommand {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
}

const depthLimit = 6;
/** No rule names more words than this. */
const longestRule = 24;

/**
 * Every command that a line might run, also behind wrappers and in scripts that it hands on. Where it is not certain which words are
 * the command, each of them may be: what is only perhaps run may be denied, too.
 */
export function everyCommand(line: ShellLine, depth = 0): PossibleCommand[] {
  const found: PossibleCommand[] = line.redirects.length === 0 ? [] : [{ words: [], redirects: line.redirects }];
  for (const command of line.commands) {
    found.push({ words: command.words, redirects: command.redirects });
    addInner(command.words, depth, found);
  }
  return found;
}

function addInner(words: readonly ShellWord[], depth: number, found: PossibleCommand[]): void {
  const name = baseName(words[0]?.value);
  if (name === undefined || depth > depthLimit) return;
  if (scriptCarriers.has(name)) addScripts(words.slice(1), depth, found);
  if (name === "eval" && words.slice(1).every(({ kind, pieced }) => kind === "literal" && !pieced)) {
    addScript(
      words
        .slice(1)
        .map(({ value }) => value)
        .join(" "),
      depth,
      found,
    );
  }
  if (/^(find|fd|fdfind)$/.test(name)) return addExecuted(words, depth, found);
  const peeled = peel(words);
  if (peeled !== undefined && peeled !== "unclear") {
    if (name === "command" && /^-[vV]/.test(words[1]?.value ?? "")) return;
    found.push({ words: peeled.inner, redirects: [] });
    return addInner(peeled.inner, depth + 1, found);
  }
  if (!wrappers.has(name) || (name === "command" && /^-[vV]$/.test(words[1]?.value ?? ""))) return;
  for (let at = 1; at < Math.min(words.length, 400); at++) {
    const rest = words.slice(at, at + longestRule);
    found.push({ words: rest, redirects: [] });
    const inner = baseName(rest[0]?.value);
    if (inner !== undefined && scriptCarriers.has(inner)) addScripts(rest.slice(1), depth, found);
    if (rest[0]?.kind === "literal" && /\s/.test(rest[0].value)) addScript(rest[0].value, depth, found);
  }
}

function addExecuted(words: readonly ShellWord[], depth: number, found: PossibleCommand[]): void {
  for (let at = 1; at < words.length; at++) {
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(words[at]?.value ?? "")) continue;
    const { inner, end } = execPart(words, at + 1);
    found.push({ words: inner, redirects: [] });
    addInner(inner, depth + 1, found);
    at = end;
  }
}

function addScripts(words: readonly ShellWord[], depth: number, found: PossibleCommand[]): void {
  for (const { kind, value } of words.slice(0, 100)) {
    if (kind === "literal" && !value.startsWith("-")) addScript(value, depth, found);
  }
}

const addScript = (script: string, depth: number, found: PossibleCommand[]) =>
  depth < depthLimit && void found.push(...everyCommand(readShellLine(script), depth + 1));

/** A program's name without its folder. */
export function baseName(name: string | undefined): string | undefined {
  return name?.slice(name.lastIndexOf("/") + 1);
}
