import { type Rule, ruleName } from "../permissions/permission-rules.ts";
import { allowsAnyCode, matchCommand } from "./command-pattern.ts";
import {
  commandChange,
  type JudgedChange,
  type LineChanges,
  isCommit,
  outputChange,
  unsafeLineReason,
} from "./line-changes.ts";
import { unwrapCommand } from "./unwrap-command.ts";
import { inertPrograms, isInterpreter, wrappers } from "./programs.ts";
import { unsafePath } from "./looking/unsafe-path.ts";
import { notReadOnlyReason, takesAnyWord } from "./looking/read-only.ts";
import { canReadNames, withInputNames } from "./looking/input-names.ts";
import { readShellLine, type ShellCommand, type ShellLine, type ShellRedirect } from "./shell-line.ts";
import { foldersOf, pathsOf, type ShellContext } from "./shell-context.ts";
import type { ShellWord } from "./shell-word.ts";
import { unsafeSedReason } from "./text-programs.ts";
import { unsafeOption } from "./rule-options.ts";

export interface LineRequest {
  readonly line: ShellLine;
  readonly place: ShellContext;
  /** Every folder that the commands may run in; undefined if unknown. */
  readonly folders: readonly string[] | undefined;
  /** Allow rules for commands. Without any, only read-only commands are allowed. */
  readonly rules: readonly Rule[];
  /** True if rules such as `Bash(node:*)` are used. */
  readonly anyCode?: boolean | undefined;
  /** The command that is judged, with its pipe. */
  readonly command?: ShellCommand | undefined;
}

export type AllowedLine =
  | {
      readonly ok: true;
      readonly by: readonly string[];
      /** Present if the line changes files, as an agent may whose edits are accepted. */
      readonly changes?: LineChanges | undefined;
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The words that a rule could name, of each refused command; undefined if rules for them would not help. */
      readonly refused: readonly (readonly ShellWord[])[] | undefined;
      /** The refused commands. Empty if the cause is in the line as a whole. */
      readonly commands: readonly RefusedCommand[];
      /** True if each command would be allowed by itself, but not all in one line. */
      readonly isTogether?: boolean;
    };

export interface RefusedCommand {
  readonly command: ShellCommand;
  readonly why: string;
}

/** Allows a line if every command in it is allowed and the line has no other doubt. */
export function allowLine(request: LineRequest): AllowedLine {
  const { line, rules } = request;
  const [doubt] = line.unsafeReasons;
  if (doubt !== undefined) return { ok: false, why: doubt, refused: undefined, commands: [] };
  const redirected = unsafeRedirectReason(line.redirects, request);
  if (redirected !== undefined) return { ok: false, why: redirected, refused: undefined, commands: [] };
  const by = new Set<string>();
  const changes: JudgedChange[] = [];
  const refused: (readonly ShellWord[])[] = [];
  const commands: RefusedCommand[] = [];
  const ruled: ShellCommand[] = [];
  let hopeless = false;
  for (const command of line.commands) {
    const verdict = allowCommand(command, request);
    if ("by" in verdict) {
      if (verdict.by !== undefined) {
        by.add(verdict.by);
        ruled.push(command);
      }
      if (verdict.change) changes.push({ command, change: verdict.change });
      continue;
    }
    commands.push({ command, why: verdict.why });
    if (verdict.words === undefined) hopeless = true;
    else refused.push(verdict.words);
  }
  const why = commands[0]?.why;
  const unsafe = why === undefined ? unsafeLineReason(line, changes, ruled) : undefined;
  if (unsafe) return { ok: false, why: unsafe.why, refused: undefined, commands: [unsafe], isTogether: true };
  if (why === undefined)
    return { ok: true, by: rules.length === 0 ? [] : [...by], changes: lineChanges(request, changes, ruled) };
  return { ok: false, why, refused: hopeless ? undefined : refused, commands };
}

/** Returns undefined if the line changes no files. */
function lineChanges(
  request: LineRequest,
  changes: readonly JudgedChange[],
  ruled: readonly ShellCommand[],
): LineChanges | undefined {
  const { line, place } = request;
  const outputs = [...line.redirects, ...line.commands.flatMap(({ redirects }) => redirects)].filter(
    ({ effect }) => effect === "write",
  );
  if (place.changes === undefined || changes.length + outputs.length === 0) return undefined;
  const written = outputs.map(({ target }) => outputChange(target, request));
  return {
    writes: [
      ...changes.flatMap(({ change }) => change.writes),
      ...written.flatMap((each) => ("writes" in each ? each.writes : [])),
    ],
    foreign: changes.flatMap(({ change }) => change.foreign),
    // A commit that a rule allows runs the hooks of the repository, and so may the commands around it.
    git: changes.some(({ change }) => change.git) && !ruled.some(isCommit),
  };
}

/** `by` is undefined for a read-only command. `words` are the words that a rule could name. */
type CommandVerdict =
  | { readonly by: string | undefined; readonly change?: JudgedChange["change"] | undefined }
  | { readonly why: string; readonly words?: readonly ShellWord[] | undefined };

function allowCommand(command: ShellCommand, request: LineRequest): CommandVerdict {
  if (command.assigns && !isPlainRead(command)) return { why: "it sets a variable for a command" };
  const redirected = unsafeRedirectReason(command.redirects, request);
  if (redirected !== undefined) return { why: redirected };
  if (command.words.length === 0) return { by: undefined };
  return allowWords(command.words, { ...request, command }, false);
}

/** `IFS= read -r line`. */
const isPlainRead = ({ words, emptiesIfs }: ShellCommand) => emptiesIfs === true && words[0]?.value === "read";

function allowWords(words: readonly ShellWord[], request: LineRequest, appends: boolean): CommandVerdict {
  const [name] = words;
  if (name?.kind !== "literal") return { why: `what ${name?.text ?? ""} runs is unknown` };
  const exact = findAllowingRule(words, request, appends);
  if (exact !== undefined && "by" in exact) return exact;
  const doubt = notReadOnlyReason({ words, place: request.place, folders: request.folders, appends });
  if (doubt === undefined) return { by: undefined };
  const change = appends ? undefined : commandChange(words, request);
  if (change !== undefined && !("why" in change)) return { by: undefined, change };

  const unwrapped = unwrapCommand(words);
  if (unwrapped === "unclear") return { why: `it is unclear which command ${name.value} runs` };
  if (unwrapped?.appends && !appends && canReadNames(words, request)) {
    const named = withInputNames(unwrapped.inner);
    if (
      named &&
      notReadOnlyReason({ words: named, place: request.place, folders: request.folders, appends: false }) === undefined
    )
      return { by: undefined };
  }
  if (unwrapped !== undefined) return allowWords(unwrapped.inner, request, appends || unwrapped.appends);
  if (isBashScript(words)) return allowScript(words[2]?.value ?? "", request);
  if (wrappers.has(name.value)) return { why: `${name.value} runs another command` };
  if (isInterpreter(name.value, words[1]?.value)) return { why: `${runnerName(words)} runs any code it is given` };
  if (exact !== undefined) return exact;
  const known = !appends && words.every(({ kind }) => kind === "literal");
  const why = change?.why ?? (request.rules.length === 0 ? doubt : refusalReason(doubt, name.value, request.rules));
  return { why, ...(known && { words }) };
}

const runnerName = ([name, second]: readonly ShellWord[]) =>
  isInterpreter(name?.value ?? "", undefined) ? name?.value : `${name?.value} ${second?.value}`;

/** Names the rules for other lines of the program, so that the model can use one of those lines. */
function refusalReason(doubt: string, name: string, rules: readonly Rule[]): string {
  if (!doubt.includes("not among")) return doubt;
  const near = rules.filter(({ command }) => command?.words?.[0] === name).map(({ text }) => text);
  return near.length === 0 ? `no rule allows ${name}` : `no rule allows this; allowed: ${near.slice(0, 3).join(", ")}`;
}

/** Returns a verdict if a rule matches, allowing or refusing; undefined if no rule matches. */
function findAllowingRule(
  words: readonly ShellWord[],
  { rules, anyCode = false }: LineRequest,
  appends: boolean,
): CommandVerdict | undefined {
  const values = words.map(({ kind, value }) => (kind === "literal" ? value : undefined));
  let refusal: CommandVerdict | undefined;
  for (const rule of rules) {
    const named = rule.command && matchCommand(rule.command, values);
    if (named === undefined || rule.command === undefined) continue;
    if (anyCode && !appends && rule.granted !== true && allowsAnyCode(rule.command))
      return { by: ruleName("allow", rule) };
    const why = ruleMismatchReason({
      words,
      named,
      open: rule.command.open || rule.command.words?.includes(null) === true,
      appends,
    });
    if (why === undefined) return { by: ruleName("allow", rule) };
    refusal ??= { why: `${why}, and the rule ${rule.text} does not name it` };
  }
  return refusal;
}

interface RuleMatch {
  readonly words: readonly ShellWord[];
  /** Number of words that the rule names. */
  readonly named: number;
  readonly open: boolean;
  readonly appends: boolean;
}

/** Returns why a matching rule is not enough: the words it leaves open could do more than those it names. */
function ruleMismatchReason({ words, named, open, appends }: RuleMatch): string | undefined {
  const name = words[0]?.value ?? "";
  const rest = words.slice(named);
  if (isInterpreter(name, words[1]?.value)) {
    if (open) return `${runnerName(words)} runs any code it is given`;
    if (words.length < 2 || appends || words.some(({ value }) => /^(-|-s|\/dev\/stdin)$/.test(value)))
      return `${name} may read commands from its input`;
  }
  if (open && wrappers.has(name)) return `${name} runs another command`;
  if (appends && !takesAnyWord.has(name)) return `${name} gets arguments from another command`;
  const dynamic = rest.find((word, index) => !isCertain(word, words[named + index - 1], name));
  if (dynamic) return `what ${dynamic.text} stands for is unknown`;
  const option = unsafeOption(name, rest, words.slice(0, named));
  if (option !== undefined) return `${option} makes ${name} do more`;
  return open && name === "sed" ? unsafeSedReason(words) : undefined;
}

/** True if the word cannot expand to an option or to several words. */
function isCertain(word: ShellWord, before: ShellWord | undefined, name: string): boolean {
  if (word.kind === "literal") return true;
  if (word.kind === "dynamic") return false;
  if (word.text.startsWith("<(")) return true;
  if (word.head !== "" && !word.head.startsWith("-")) return true;
  if (word.kind === "pattern") return inertPrograms.has(name);
  return (name === "git" || name === "gh") && /^(-[a-z]*m|--message|--body|--title|--notes)$/.test(before?.value ?? "");
}

/** Other shells read such simple scripts as bash does. */
const plainScript = /^[\w\s.,/|;'*?=:@%+-]*$/;

function isBashScript([name, option, script, ...more]: readonly ShellWord[]): boolean {
  if (more.length > 0 || option?.value !== "-c" || script?.kind !== "literal") return false;
  return name?.value === "bash" || (name?.value === "sh" && plainScript.test(script.value.replaceAll("&&", ";")));
}

function allowScript(script: string, request: LineRequest): CommandVerdict {
  const line = readShellLine(script);
  const place = { ...request.place, changes: undefined };
  const allowed = allowLine({ ...request, place, line, folders: request.folders && foldersOf(line, request.place) });
  return allowed.ok ? { by: allowed.by[0] } : { why: allowed.why };
}

/** True if the output goes only to files that the agent may write without asking. */
function isOwn(target: ShellWord | undefined, { folders, place }: LineRequest): boolean {
  const { mayWrite } = place;
  if (target?.kind !== "literal" || folders === undefined || mayWrite === undefined) return false;
  const paths = pathsOf(target, folders, place) ?? [];
  return paths.length > 0 && paths.every(mayWrite);
}

/** Returns why the redirections of a command need approval. */
function unsafeRedirectReason(redirects: readonly ShellRedirect[], request: LineRequest): string | undefined {
  for (const { effect, target } of redirects) {
    if (effect === "none") continue;
    if (effect === "write" && isOwn(target, request)) continue;
    if (effect === "write") {
      const output = outputChange(target, request);
      if ("why" in output) return output.why;
      continue;
    }
    const doubt = target === undefined ? "it reads from an unknown source" : unsafePath(target, request);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}
