import type { PermissionMode, Refusal, RefusalHint } from "../../protocol/index.ts";
import type { RefusedCall } from "../permissions/permission-decisions.ts";
import type { Rule } from "../permissions/permission-rules.ts";
import { type AllowedLine, allowLine } from "./allow-line.ts";
import { inlineCodeProgram } from "./inline-code.ts";
import { isCommit } from "./line-changes.ts";
import type { ShellContext } from "./shell-context.ts";
import { type ShellCommand, type ShellLine, visibleText } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";
import { exactRule, suggestRules } from "./suggest-rules.ts";

/** A command line with everything that decides about it. */
export interface JudgedLine {
  readonly text: string;
  readonly line: ShellLine;
  readonly mode: PermissionMode;
  readonly place: ShellContext;
  readonly folders: readonly string[] | undefined;
  /** Allow rules for commands. */
  readonly rules: readonly Rule[];
}

type RefusedLine = Extract<AllowedLine, { ok: false }>;

/** Says which commands of a line are refused, what of it is allowed, and which rules would allow it. */
export function refusedPart(judged: JudgedLine, refused: RefusedLine): RefusedCall {
  const { line } = judged;
  if (line.syntaxError !== undefined) return { cause: "syntax", why: line.syntaxError };
  const commands = refused.commands.map(({ command }) => command);
  const parts = reasonedParts(judged, refused);
  const quoted = [line.doubtfulQuote, ...commands.map(({ quotedIn }) => quotedIn)].flatMap((each) => each ?? []);
  const others = commands.filter(({ quotedIn }) => quotedIn === undefined);
  const inline = commands.flatMap((command) => inlineCodeProgram(command, judged.text) ?? []);
  const isUnruled = inline.length > 0 || quoted.some((text) => text.startsWith("`"));
  return {
    part: listed(parts.map(({ part }) => part)),
    why: parts[0]?.why,
    ...(parts.length > 1 && { parts: parts.map(({ part, why }) => ({ part: listed([part]), why })) }),
    hints: [
      ...(quoted.length === 0 && !refused.isTogether ? restHint(judged, commands) : []),
      ...textHints(line, quoted[0], others),
      ...others.flatMap((command) => hintsFor(command, judged)).slice(0, 1),
      ...inlineHints(inline, commands),
    ],
    rules: isUnruled ? [] : narrowestRules(judged, refused),
  };
}

/** Names the program only if a rule for it would be enough. */
function inlineHints(inline: readonly string[], refused: readonly ShellCommand[]): readonly RefusalHint[] {
  const [program] = new Set(inline);
  if (program === undefined) return [];
  const isEnoughAlone = new Set(inline).size === 1 && inline.length === refused.length;
  return [{ kind: "code", ...(isEnoughAlone && { program }) }];
}

interface ReasonedPart {
  readonly part: string;
  readonly why: string;
}

/** Returns the refused parts of a line, each once, with its reason. */
function reasonedParts({ text, line }: JudgedLine, { commands, why }: RefusedLine): readonly ReasonedPart[] {
  const { doubtfulQuote } = line;
  if (commands.length === 0)
    return [doubtfulQuote === undefined ? { part: shorten(text), why } : quotedPart(doubtfulQuote)];
  const parts = new Map<string, ReasonedPart>();
  for (const { command, why: reason } of commands) {
    const plain = { part: line.commands.length === 1 ? shorten(text) : sourceText(command), why: reason };
    const part = command.quotedIn === undefined ? plain : quotedPart(command.quotedIn);
    if (!parts.has(part.part)) parts.set(part.part, part);
  }
  return [...parts.values()];
}

const quotedPart = (substitution: string): ReasonedPart => ({
  part: shorten(substitution.replace(/^`(.*)`$/s, "$1")),
  why: substitution.startsWith("`")
    ? "bash runs text between backticks, also inside double quotes"
    : "bash runs $( ), also inside double quotes",
});

/** Quotes are of no use for a commit that is refused anyway. */
function textHints(
  { commands }: ShellLine,
  quoted: string | undefined,
  refused: readonly ShellCommand[],
): readonly RefusalHint[] {
  if (quoted === undefined || refused.some(isCommit)) return [];
  const commit = commands.some(isCommit);
  return [{ kind: "text", text: listed([quotedPart(quoted).part]), commit }];
}

/** The same for a line with a command that a deny or ask rule names. */
export function partOfRule(
  judged: JudgedLine,
  { words }: { readonly words?: readonly ShellWord[] | undefined },
): RefusedCall {
  if (words === undefined) return { part: listed([shorten(judged.text)]) };
  const command = judged.line.commands.find((each) => each.words === words);
  return { part: commandText(words), hints: command ? restHint(judged, [command]) : [] };
}

export const commandText = (words: readonly ShellWord[]): string =>
  listed([shorten(words.map(({ text }) => text).join(" "))]);

/** A command as written, with its redirections to files. */
function sourceText({ words, redirects }: ShellCommand): string {
  const targets = redirects.flatMap(({ effect, target }) =>
    effect === "none" || !target ? [] : [`${effect === "read" ? "<" : ">"} ${target.text}`],
  );
  return shorten([...words.map(({ text }) => text), ...targets].join(" "));
}

const longest = 160;

function shorten(text: string): string {
  const line = visibleText(text.replace(/\s+/g, " ").trim());
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const listed = (parts: readonly string[]) => {
  const shown = parts.slice(0, 3).map((part) => `\`${part}\``);
  return `${shown.join(", ")}${parts.length > shown.length ? " and more" : ""}`;
};

/** Present if at least one other command of the line does something and all others are allowed. */
function restHint(
  { line, place, folders, rules }: JudgedLine,
  refused: readonly ShellCommand[],
): readonly RefusalHint[] {
  const others = line.commands.filter((command) => !refused.includes(command));
  const useful = others.some(
    ({ words, isPiped }) =>
      !isPiped && words[0] !== undefined && !/^(cd|echo|printf|true|:|sleep)$/.test(words[0].value),
  );
  if (!useful || refused.length === 0) return [];
  const rest = allowLine({ line: { ...line, commands: others }, place, folders, rules });
  return rest.ok ? [{ kind: "rest" }] : [];
}

function hintsFor(command: ShellCommand, { mode, place }: JudgedLine): readonly RefusalHint[] {
  const { words, redirects } = command;
  if (isCommit(command) && place.changes?.ownWorktree === undefined)
    return [{ kind: "commit", worktree: mode === "acceptEdits" }];
  const name = words[0]?.value ?? "";
  const writes =
    redirects.some(({ effect }) => effect === "write") ||
    name === "tee" ||
    (/^(sed|perl)$/.test(name) && words.some(({ value }) => /^(-[a-zA-Z]*i|--in-place)/.test(value)));
  if (writes) return mode === "acceptEdits" ? [{ kind: "edit" }] : [];
  const expanded = words
    .slice(1)
    .find(({ kind, text }) => kind === "pattern" && (name === "find" || text.startsWith("-")));
  if (expanded) return [{ kind: "quote", word: expanded.text }];
  return words.slice(1).some(({ kind }) => kind === "dynamic" || kind === "single") ? [{ kind: "names" }] : [];
}

/** Returns rules to offer with a question. Empty when no narrow rule exists. */
export function suggestedRules(judged: JudgedLine, refused: RefusedLine): readonly string[] {
  const suggested = suggestRules(judged.text, judged.line, refused);
  return isEnough(judged, suggested) ? suggested.map((rule) => rule.text) : [];
}

/** Like the rules to offer, but for the refused commands alone where that is possible; otherwise the exact line. */
function narrowestRules(judged: JudgedLine, refused: RefusedLine): Refusal["rules"] {
  const { text, line } = judged;
  const suggested = suggestedRules(judged, refused);
  const whole = `Bash(${text})`;
  if (suggested.length > 0 && !suggested.includes(whole)) return suggested;
  const exact = refused.commands.flatMap(({ command }) => exactRule(command.words) ?? []);
  const commands = refused.commands.map(({ command }) => command);
  const alone = { ...judged, line: { ...line, commands, redirects: [] } };
  if (exact.length === refused.commands.length && isEnough(alone, exact)) return exact.map((rule) => rule.text);
  const isShort = text.length <= longest && !text.includes("\n");
  return suggested.length > 0 || (isShort && text === visibleText(text)) ? [whole] : [];
}

function isEnough({ text, line, place, folders, rules }: JudgedLine, added: readonly Rule[]): boolean {
  if (added.length === 0) return false;
  return (
    added.some((rule) => rule.command?.text === text) ||
    allowLine({ line, place, folders, rules: [...rules, ...added] }).ok
  );
}
