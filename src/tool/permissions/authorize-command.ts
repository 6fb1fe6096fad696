import { isInside } from "../../platform/index.ts";
import type { PermissionDecision } from "../../protocol/index.ts";
import type { AuthorizeRequest } from "./authorize.ts";
import { askDecision, forbiddenDenial, planDenial, protectedDenial, syntaxDenial } from "./permission-decisions.ts";
import type { PermissionSubject } from "../define-tool.ts";
import { type CommandPlaces, isFixedCommand, isPlainLine, placesOf } from "./command-place.ts";
import { emptyDisk } from "./disk.ts";
import { basesOf, pathTest } from "./match-rule.ts";
import { protectedReason } from "./protected-paths.ts";
import { unknownRead } from "./unknown-reads.ts";
import { changesFreely } from "./workspace.ts";
import { onlyLooks, unknownWriteReason } from "./unknown-writes.ts";
import { type Rule, type RuleSet, ruleName } from "./permission-rules.ts";
import { allowLine } from "../shell/allow-line.ts";
import { matchCommand } from "../shell/command-pattern.ts";
import { baseName, possibleCommands, type PossibleCommand } from "../shell/possible-commands.ts";
import { readShellLine, type ShellLine, visibleText } from "../shell/shell-line.ts";
import { foldersOf, pathsOf, type ShellContext } from "../shell/shell-context.ts";
import type { ChangeRights } from "../shell/change-rights.ts";
import { gitPaths } from "../shell/looking/git-paths.ts";
import { literalWord, type ShellWord } from "../shell/shell-word.ts";
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
  const everywhere = foldersOf({ ...line, enters: false, commands: possibleLineCommands(line, possible) }, place);
  const commandPaths = {
    request,
    possible,
    place,
    folders: [...new Set([...(folders ?? [place.cwd]), ...(everywhere ?? [])])],
  };
  const forbiddenPath = pathDenial(commandPaths);
  if (forbiddenPath) return forbiddenPath;

  const places = placesOf({
    walls: request.walls,
    mode,
    ownWorktree: request.workspace?.worktree !== undefined,
    asksOutside: subject.outsideSandbox ?? false,
    source: subject.command,
    line,
  });
  if (mode === "plan") {
    const looks = allowLine({ line, place, folders, rules: [] });
    const open = looks.ok ? openLookReason(request, line) : undefined;
    if (looks.ok && open === undefined) return { behavior: "allow", rule: "read-only command", place: places.look };
    if (looks.ok) return planDenial(tool.name, { why: open });
    const refused = refusedPart({ ...judged, rules: [] }, looks);
    const isRuled = own.length > 0 && allowLine({ line, place, folders, rules: own }).ok;
    return planDenial(
      tool.name,
      isRuled ? { ...refused, why: `${refused.why}, and allow rules do not count here` } : refused,
    );
  }
  if (mode === "bypassPermissions") {
    const leaves = subject.outsideSandbox && !request.walls?.required;
    return { behavior: "allow", rule: "mode bypassPermissions", place: leaves ? { walls: "open" } : everything };
  }
  const guarded = protectedWrite(commandPaths);
  if (guarded !== undefined) return protectedDenial(guarded);
  return byRulesAndMode({ request, judged, places, unknown, search, commandPaths, everywhere });
}

/** The walls of a command that may do all that walls let it. */
const everything = { walls: "work", git: true } as const;

interface JudgedCommand {
  readonly request: CommandRequest;
  readonly judged: JudgedLine;
  readonly places: CommandPlaces;
  readonly unknown: string | undefined;
  readonly search: Search;
  readonly commandPaths: CommandPaths;
  /** Every folder that a command or a nested script may run in; undefined if unknown. */
  readonly everywhere: readonly string[] | undefined;
}

/** Applies ask rules, allow rules, the list of read-only commands and the walls, in this order. */
function byRulesAndMode(command: JudgedCommand): PermissionDecision {
  const { request, judged, places, unknown, search, commandPaths, everywhere } = command;
  const { possible } = commandPaths;
  const { rules, mode, tool, subject, walls } = request;
  const { text, line, folders, place } = judged;
  const question = { ...request, title: visibleText(request.title) };
  const where = { place: places.afterYes, hasWalls: walls?.isReady };
  const asked = findRule(rules.ask, search);
  if (asked) {
    const refused = { ...partOfRule(judged, asked), why: `the rule ${asked.rule.text} asks for it` };
    return askDecision(question, { rule: ruleName("ask", asked.rule), suggestions: [], refused, ...where });
  }
  if (places.needsPerson) {
    const why = "it runs outside the sandbox";
    return askDecision(question, { rule: "outside the sandbox", reason: why, suggestions: [], ...where });
  }
  const exact = rules.allow.find((rule) => namesTool(rule, tool.name) && rule.command?.text === text);
  if (exact) return allowedBy(places, [ruleName("allow", exact)]);

  const doubt = evasionReason(line, unknown, { rules, tool: tool.name, possible });
  const protect = (path: string) => protectedReason(path, { ...request, own: request.scratchpad });
  const write = places.keepsRuled
    ? undefined
    : (unknownWriteReason({ possible, place, folders: everywhere, protect }) ??
      unknownReadReason(commandPaths, everywhere));
  const all = rules.allow.find((rule) => namesTool(rule, tool.name) && isWhole(rule));
  if (all && doubt === undefined && write === undefined) return allowedBy(places, [ruleName("allow", all)]);
  if (all && line.syntaxError !== undefined) return syntaxDenial(line.syntaxError);

  const isTooLong = line.commands.length > limits.commands || subject.command.length > limits.characters;
  if (isTooLong && !places.isWalled) return tooLongReason(line);
  const judgedLine = isTooLong
    ? undefined
    : allowLine({ line, place, folders, rules: judged.rules, anyCode: doubt === undefined });
  const isRuled = judgedLine?.ok && (judgedLine.by.length > 0 || judgedLine.changes !== undefined);
  const allowed: typeof judgedLine =
    isRuled && write !== undefined ? { ok: false, why: write, refused: undefined, commands: [] } : judgedLine;
  const open = allowed?.ok && allowed.by.length === 0 ? openLookReason(request, line) : openRuleReason(request, line);
  if (allowed?.ok && open === undefined) {
    const { by, changes } = allowed;
    if (by.length > 0) return { ...allowedBy(places, by), ...(changes && { changes }) };
    if (!changes) return { behavior: "allow", rule: "read-only command", place: places.look };
    const own = { ...places.work, git: changes.git, hookless: changes.git };
    return { behavior: "allow", rule: `mode ${mode}`, changes, place: own };
  }
  if (places.isWalled && doubt === undefined) return { behavior: "allow", rule: "sandbox", place: places.work };
  if (allowed === undefined) return tooLongReason(line);
  if (allowed.ok) return askDecision(question, { rule: `mode ${mode}`, reason: open, suggestions: [], ...where });
  const suggestions = all && write !== undefined ? [] : suggestedRules(judged, allowed);
  const refused = refusedPart(judged, allowed);
  const reason = (all ? (doubt ?? write) : undefined) ?? allowed.why;
  return askDecision(question, { rule: `mode ${mode}`, reason, suggestions, refused, ...where });
}

const allowedBy = (places: CommandPlaces, rules: readonly string[]) =>
  ({ behavior: "allow", rule: rules.join(", "), place: places.byRules(rules) }) as const;

/** Returns why a command that seems to look only still needs a yes: nothing would hold it if that were wrong. */
function openLookReason({ walls, subject, workspace }: CommandRequest, { commands }: ShellLine): string | undefined {
  if (walls?.isReady) return undefined;
  const runsGit = commands.some(({ words }) => words.some(({ value }) => baseName(value) === "git"));
  if (runsGit && workspace?.gitPrograms !== undefined) return workspace.gitPrograms;
  return walls === undefined || isFixedCommand(subject.command) ? undefined : noWalls;
}

/** Returns why a command that rules allow still needs a yes. */
function openRuleReason({ walls, subject }: CommandRequest, line: ShellLine): string | undefined {
  if (walls === undefined || walls.isReady || isPlainLine(subject.command, line)) return undefined;
  return noWalls;
}

const noWalls = "no sandbox is available, so only a few fixed commands run without a question";

const namesTool = (rule: Rule, tool: string) => rule.tool === tool || rule.tool === "*";
const isWhole = (rule: Rule) => rule.specifier === undefined || rule.command?.everything === true;

/** The commands of nested scripts may change the folder, too. */
const possibleLineCommands = (line: ShellLine, possible: readonly PossibleCommand[]): ShellLine["commands"] => [
  ...line.commands,
  ...possible
    .filter(
      ({ words }) =>
        /^(cd|pushd|popd)$/.test(words[0]?.value ?? "") && !line.commands.some((each) => each.words === words),
    )
    .map(({ words, redirects }) => ({ words, redirects, assigns: false })),
];

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
  const { cwd, roots, home, scratchpad, mode, workspace, disk = emptyDisk } = request;
  const readable = workspace?.worktree ? [workspace.worktree.readable] : [];
  const denials = pathRules("Read", request);
  const place = {
    cwd,
    roots,
    readable,
    changes: changeRights(request),
    home,
    disk,
    realPath: disk.realPath,
    ...(denials.length > 0 && { isDenied: (path: string) => firstHit(denials, [path]) !== undefined }),
  };
  if (scratchpad === undefined) return place;
  const mayWrite = (path: string) =>
    mode !== "plan" && path !== scratchpad && isInside(path, scratchpad) && !isMentioned(path, request);
  return { ...place, roots: [...roots, scratchpad], mayWrite };
}

/** Commands may change what Edit and Write may change. */
function changeRights(request: CommandRequest): ChangeRights | undefined {
  const { mode, workspace, roots } = request;
  const ownWorktree = workspace?.worktree !== undefined;
  if (workspace?.files === undefined || !changesFreely({ mode, ownWorktree })) return undefined;
  const refuse = (path: string) =>
    protectedReason(path, request) ?? (isMentioned(path, request) ? `a rule names ${path}` : undefined);
  return { refuse, files: workspace.files, roots, ownWorktree: workspace.worktree?.top };
}

/** True if an Edit or Write rule denies or asks about this file. Commands then need approval to write to it. */
function isMentioned(path: string, request: CommandRequest): boolean {
  const { home, rules, disk } = request;
  const realPath = disk?.realPath;
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
  const { request } = commandPaths;
  const [read, edit] = [pathRules("Read", request), pathRules("Edit", request)];
  if (read.length + edit.length === 0) return undefined;
  const hit = (tests: readonly PathRule[], words: readonly ShellWord[]) =>
    tests.length === 0 ? undefined : firstHit(tests, pathsIn(words, commandPaths));
  for (const { words, redirects } of commandPaths.possible) {
    const mentioned = /^(echo|printf)$/.test(words[0]?.value ?? "") ? [] : words.slice(1);
    const touched = redirects.flatMap(({ target }) => target ?? []);
    const rule =
      hit(edit, writtenWords(words, redirects)) ??
      hit(read, [...mentioned, ...touched]) ??
      firstHit(
        read,
        mentioned.flatMap((word) => innerPaths(words[0]?.value, word, commandPaths)),
      );
    if (rule) return forbiddenDenial(rule, { part: commandText(words) });
  }
  return undefined;
}

/** Returns why a deny rule for files could be bypassed: the names of the files that are read are unknown. */
function unknownReadReason(
  { possible, place }: CommandPaths,
  folders: readonly string[] | undefined,
): string | undefined {
  const { isDenied } = place;
  if (isDenied === undefined) return undefined;
  return possible
    .map(({ words, redirects }) => unknownRead({ words, redirects }, { place, folders }))
    .find((why) => why !== undefined);
}

/** Returns the paths inside a word: values of options, and for git the files of commits and pathspecs. */
function innerPaths(name: string | undefined, word: ShellWord, { folders, place }: CommandPaths): readonly string[] {
  if (baseName(name) === "git") return gitPaths(word, folders, place);
  const values = [
    /=(.+)$/s.exec(word.value)?.[1],
    /^-[a-zA-Z](.+)$/s.exec(word.value)?.[1],
    /[@<](.+)$/s.exec(word.value)?.[1],
  ];
  return values.flatMap((value) => (value === undefined ? [] : (pathsOf(literalWord(value), folders, place) ?? [])));
}

/** Returns the deny rules of a file tool that name paths, as tests. */
function pathRules(tool: "Read" | "Edit", request: CommandRequest): readonly PathRule[] {
  const bounds = { home: request.home, realPath: request.disk?.realPath, wide: true };
  return request.rules.deny
    .filter((rule) => rule.tool === tool && rule.specifier !== undefined)
    .flatMap((rule) => basesOf(request).map((base) => ({ rule, test: pathTest(rule, { ...bounds, base }) })));
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
  { rules, tool, possible }: { rules: RuleSet; tool: string; possible: readonly PossibleCommand[] },
): string | undefined {
  const unread = line.unsafeReasons.find((doubt) => /cannot be parsed|does not show/.test(doubt));
  const guards = [...rules.deny, ...rules.ask].filter((rule) => namesTool(rule, tool) && !isWhole(rule));
  if (guards.length === 0) return unread;
  const names = guards.flatMap(({ command }) => (typeof command?.words?.[0] === "string" ? [command.words[0]] : []));
  return unread ?? unknown ?? hiddenMention(possible, names);
}

/** Returns why a text in a word could be a command that a rule names: `vim -c '!rm x'`. */
function hiddenMention(possible: readonly PossibleCommand[], names: readonly string[]): string | undefined {
  for (const { words } of possible) {
    if (onlyLooks(words)) continue;
    const word = words
      .slice(1)
      .find(({ value }) => names.some((name) => value !== name && wordsIn(value).includes(name)));
    if (word) return `${word.text} could run a command that a rule names`;
  }
  return undefined;
}

const wordsIn = (text: string) => text.split(/[^\w.+-]+/);

function tooLongReason({ commands }: ShellLine): PermissionDecision {
  const reason = `The command line is too long to check: it has ${commands.length} commands. The limits are ${limits.characters} characters and ${limits.commands} commands. Do not write long files in a command line, and run fewer commands at once.`;
  return { behavior: "deny", rule: "size of the command line", reason };
}
