import { isInside } from "../../platform/index.ts";
import type { PermissionDecision } from "../../protocol/index.ts";
import type { AuthorizeRequest } from "./authorize.ts";
import { askDecision, forbiddenDenial, planDenial, protectedDenial, syntaxDenial } from "./permission-decisions.ts";
import type { PermissionSubject } from "../define-tool.ts";
import { basesOf, pathTest } from "./match-rule.ts";
import { protectedReason } from "./protected-paths.ts";
import { type Rule, type RuleSet, ruleName } from "./permission-rules.ts";
import { allowLine } from "../shell/allow-line.ts";
import { matchCommand } from "../shell/command-pattern.ts";
import { baseName, possibleCommands, type PossibleCommand } from "../shell/possible-commands.ts";
import { readShellLine, type ShellLine, visibleText } from "../shell/shell-line.ts";
import { foldersOf, pathsOf, type ShellContext } from "../shell/shell-context.ts";
import type { ChangeRights } from "../shell/change-rights.ts";
import type { ShellWord } from "../shell/shell-word.ts";
import { normalizeCommand } from "../shell/normalize-command.ts";
import { commandText, type JudgedLine, partOfRule, refusedPart, suggestedRules } from "../shell/refused-part.ts";
import { writtenWords } from "../shell/written-paths.ts";

type CommandRequest = AuthorizeRequest & { readonly subject: Extract<PermissionSubject, { kind: "command" }> };

/** No user would read a longer command line before approving it. */
const limits = { commands: 64, characters: 16_384 };

/**
 * Decides about a command line. Deny rules are checked first, against every command in the line, however deeply nested.
 * The line is allowed when each command is allowed: by a rule, or because it only reads files in the working folders.
 */
export function authorizeCommand(request: CommandRequest): PermissionDecision {
  const { rules, mode, tool, subject } = request;
  const text = subject.command.trim();
  const line = readShellLine(subject.command);
  const { possible, unknown } = possibleCommands(line);
  const search = { request, text, possible };
  const denied = findRule(rules.deny, search);
  const place = shellContextOf(request);
  const folders = foldersOf(line, place);
  const own = rules.allow.filter((rule) => namesTool(rule, tool.name) && !isWhole(rule));
  const judged: JudgedLine = { text, line, mode, place, folders, rules: own };
  if (denied) return forbiddenDenial(denied.rule, partOfRule(judged, denied));
  const commandPaths = { request, possible, place, folders: folders ?? [place.cwd] };
  const forbiddenPath = pathDenial(commandPaths);
  if (forbiddenPath) return forbiddenPath;

  if (mode === "plan") {
    const looks = allowLine({ line, place, folders, rules: [] });
    if (looks.ok) return { behavior: "allow", rule: "read-only command" };
    const refused = refusedPart({ ...judged, rules: [] }, looks);
    const isRuled = own.length > 0 && allowLine({ line, place, folders, rules: own }).ok;
    return planDenial(
      tool.name,
      isRuled ? { ...refused, why: `${refused.why}, and allow rules do not count here` } : refused,
    );
  }
  if (mode === "bypassPermissions") return { behavior: "allow", rule: "mode bypassPermissions" };
  const guarded = protectedWrite(commandPaths);
  if (guarded !== undefined) return protectedDenial(guarded);

  const question = { ...request, title: visibleText(request.title) };
  const asked = findRule(rules.ask, search);
  if (asked) {
    const refused = { ...partOfRule(judged, asked), why: `the rule ${asked.rule.text} asks for it` };
    return askDecision(question, { rule: ruleName("ask", asked.rule), suggestions: [], refused });
  }
  const exact = rules.allow.find((rule) => namesTool(rule, tool.name) && rule.command?.text === text);
  if (exact) return { behavior: "allow", rule: ruleName("allow", exact) };

  const doubt = evasionReason(line, unknown, { rules, tool: tool.name });
  const all = rules.allow.find((rule) => namesTool(rule, tool.name) && isWhole(rule));
  if (all && doubt === undefined) return { behavior: "allow", rule: ruleName("allow", all) };
  if (all && line.syntaxError !== undefined) return syntaxDenial(line.syntaxError);
  if (request.sandboxed && doubt === undefined) return { behavior: "allow", rule: "sandbox" };

  if (line.commands.length > limits.commands || subject.command.length > limits.characters) return tooLongReason(line);
  const allowed = allowLine({ line, place, folders, rules: own, anyCode: doubt === undefined });
  if (allowed.ok) {
    const { by, changes } = allowed;
    const rule = by.join(", ") || (changes ? `mode ${mode}` : "read-only command");
    return { behavior: "allow", rule, ...(changes && { changes }) };
  }
  const suggestions = suggestedRules(judged, allowed);
  const refused = refusedPart(judged, allowed);
  return askDecision(question, { rule: `mode ${mode}`, reason: allowed.why, suggestions, refused });
}

const namesTool = (rule: Rule, tool: string) => rule.tool === tool || rule.tool === "*";
const isWhole = (rule: Rule) => rule.specifier === undefined || rule.command?.everything === true;

interface Search {
  readonly request: CommandRequest;
  readonly text: string;
  /** Every command that the line might run. */
  readonly possible: readonly PossibleCommand[];
}

interface FoundRule {
  readonly rule: Rule;
  /** The command that the rule names; undefined if it names the whole line. */
  readonly words?: readonly ShellWord[] | undefined;
}

/**
 * Returns the first rule that matches the whole text or any command in it. A rule of one word matches that program with
 * any arguments.
 */
function findRule(list: readonly Rule[], { request, text, possible }: Search): FoundRule | undefined {
  const readings = possible.map(({ words }) => ({ words, values: forms(words) }));
  for (const rule of list) {
    const { command } = rule;
    if (!namesTool(rule, request.tool.name)) continue;
    if (isWhole(rule)) return { rule };
    if (command === undefined) continue;
    if (command.text === text) return { rule };
    const wide = command.words?.length === 1 ? { ...command, open: true } : command;
    const found = readings.find(({ values }) => values.some((each) => matchCommand(wide, each) !== undefined));
    if (found) return { rule, words: found.words };
  }
  return undefined;
}

/**
 * Returns the variants of a command: with its name as written, without the folder, and without options before a
 * subcommand.
 */
function forms(words: readonly ShellWord[]): (string | undefined)[][] {
  if (words.length === 0) return [];
  const values = words.map(({ kind, value, text }) =>
    kind === "literal" || /^\$".*"$/s.test(text) ? value : undefined,
  );
  const named = [baseName(values[0]), ...values.slice(1)];
  const plain = normalizeCommand(named);
  return [values, named, ...(plain === undefined ? [] : [plain])];
}

function shellContextOf(request: CommandRequest): ShellContext {
  const { cwd, roots, home, scratchpad, mode, workspace, realPath = (path: string) => path } = request;
  const readable = workspace?.worktree ? [workspace.worktree.readable] : [];
  const place = { cwd, roots, readable, changes: changeRights(request), home, realPath };
  if (scratchpad === undefined) return place;
  const mayWrite = (path: string) =>
    mode !== "plan" && path !== scratchpad && isInside(path, scratchpad) && !isMentioned(path, request);
  return { ...place, roots: [...roots, scratchpad], mayWrite };
}

/** In mode `acceptEdits` commands may change what Edit and Write may change. */
function changeRights(request: CommandRequest): ChangeRights | undefined {
  const { mode, workspace, roots } = request;
  if (mode !== "acceptEdits" || workspace?.files === undefined) return undefined;
  const refuse = (path: string) =>
    protectedReason(path, request) ?? (isMentioned(path, request) ? `a rule names ${path}` : undefined);
  return { refuse, files: workspace.files, roots, ownWorktree: workspace.worktree?.top };
}

/** True if an Edit or Write rule denies or asks about this file. Commands then need approval to write to it. */
function isMentioned(path: string, request: CommandRequest): boolean {
  const { home, realPath, rules } = request;
  return [...rules.deny, ...rules.ask].some((rule) => {
    if (rule.tool !== "Edit" && rule.tool !== "Write") return false;
    if (rule.specifier === undefined) return true;
    return basesOf(request).some((base) => pathTest(rule, { base, home, realPath, wide: true })(path));
  });
}

interface CommandPaths {
  readonly request: CommandRequest;
  readonly possible: readonly PossibleCommand[];
  readonly place: ShellContext;
  readonly folders: readonly string[];
}

/** Applies the deny rules for files to commands, as far as their words show which files they touch. */
function pathDenial(commandPaths: CommandPaths): PermissionDecision | undefined {
  const { request, place } = commandPaths;
  const bounds = { home: place.home, realPath: place.realPath, wide: true };
  const speaking = (tool: "Read" | "Edit") =>
    request.rules.deny
      .filter((rule) => rule.tool === tool && rule.specifier !== undefined)
      .flatMap((rule) => basesOf(request).map((base) => ({ rule, test: pathTest(rule, { ...bounds, base }) })));
  const [read, edit] = [speaking("Read"), speaking("Edit")];
  if (read.length + edit.length === 0) return undefined;
  const hit = (tests: typeof read, words: readonly ShellWord[]) =>
    tests.length === 0 ? undefined : firstHit(tests, pathsIn(words, commandPaths));
  for (const { words, redirects } of commandPaths.possible) {
    const mentioned = /^(echo|printf)$/.test(words[0]?.value ?? "") ? [] : words.slice(1);
    const touched = redirects.flatMap(({ target }) => target ?? []);
    const rule = hit(edit, writtenWords(words, redirects)) ?? hit(read, [...mentioned, ...touched]);
    if (rule) return forbiddenDenial(rule, { part: commandText(words) });
  }
  return undefined;
}

type PathRule = { readonly rule: Rule; readonly test: (path: string) => boolean };

const firstHit = (tests: readonly PathRule[], paths: readonly string[]) =>
  tests.find(({ test }) => paths.some(test))?.rule;

const pathsIn = (words: readonly ShellWord[], { folders, place }: CommandPaths) =>
  words.flatMap((word) => pathsOf(word, folders, place) ?? []);

/** Returns why the command would write to a protected path, or undefined. */
function protectedWrite(commandPaths: CommandPaths): string | undefined {
  for (const { words, redirects } of commandPaths.possible) {
    for (const path of pathsIn(writtenWords(words, redirects), commandPaths)) {
      const reason = protectedReason(path, { ...commandPaths.request, own: commandPaths.request.scratchpad });
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/**
 * Returns why a deny or ask rule for certain commands could be bypassed by this line. A rule that allows all commands
 * is then not enough.
 */
function evasionReason(
  line: ShellLine,
  unknown: string | undefined,
  { rules, tool }: { rules: RuleSet; tool: string },
): string | undefined {
  const unread = line.unsafeReasons.find((doubt) => /cannot be parsed|does not show/.test(doubt));
  const guarded = [...rules.deny, ...rules.ask].some((rule) => namesTool(rule, tool) && !isWhole(rule));
  return unread ?? (guarded ? unknown : undefined);
}

function tooLongReason({ commands }: ShellLine): PermissionDecision {
  const reason = `The command line is too long to check: it has ${commands.length} commands. The limits are ${limits.characters} characters and ${limits.commands} commands. Do not write long files in a command line, and run fewer commands at once.`;
  return { behavior: "deny", rule: "size of the command line", reason };
}
