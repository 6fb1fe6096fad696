import { cut, oneLine } from "../../protocol/index.ts";
import type { Acceptance } from "./acceptance-checks.ts";
import type { DiffStat } from "./diff-stat.ts";
import type { CallEvidence, CommandEvidence, Evidence } from "./evidence.ts";

/** Everything known about how a result was produced. */
export interface FullEvidence extends Evidence {
  readonly diff?: DiffStat | undefined;
  readonly acceptance?: Acceptance | undefined;
}

export interface EvidenceTextOptions {
  readonly of?: "all" | "since its last report" | undefined;
  /** True if a report follows or precedes the text. */
  readonly hasReport?: boolean | undefined;
}

/**
 * Short text for the agent that gets the result, equal for equal evidence. Paths and commands of the other agent are
 * on one line between backticks, so that they cannot pass for Troupe's own text.
 */
export function evidenceText(evidence: FullEvidence, options: EvidenceTextOptions = {}): string {
  const { of = "all", hasReport = true } = options;
  const { folder } = evidence;
  const file = (path: string) => quoted(folder === undefined ? path : relativeTo(folder, path));
  const changedFile = (path: string) =>
    folder === undefined || path.startsWith(`${folder}/`)
      ? file(path)
      : `${file(path)} (outside the working directory)`;
  const lines = [
    totalsLine(evidence, hasReport),
    ...listLine("changed", evidence.filesChanged.map(changedFile), 12),
    ...listLine("read", evidence.filesRead.map(file), 8),
    ...commandsLine(evidence, hasReport),
    ...listLine("refused", folded(evidence.denied.map(callText)), 4),
    ...listLine("failed", folded(evidence.failed.map(callText)), 4),
    ...(evidence.diff ? [diffText(evidence.diff)] : []),
    ...(evidence.acceptance ? acceptanceLines(evidence.acceptance) : []),
  ];
  const scope = of === "all" ? "" : ` ${of}`;
  return [`What was really done${scope}, by the log:`, ...lines.map((line) => `- ${line}`)].join("\n");
}

const relativeTo = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** Evidence as bounded data. Each list counts the items left out. Safe to store with a result. */
export function evidenceJson({ filesRead, filesChanged, commands, denied, failed, ...rest }: FullEvidence) {
  return {
    ...rest,
    filesRead: bounded(filesRead, 100),
    filesChanged: bounded(filesChanged, 200),
    commands: bounded(
      commands.map((run) => ({ ...run, command: cut(run.command, 500) })),
      100,
    ),
    denied: bounded(denied, 50),
    failed: bounded(failed, 50),
  };
}

const bounded = <T>(list: readonly T[], most: number) => ({
  items: list.slice(-most),
  leftOut: Math.max(0, list.length - most),
});

function totalsLine(evidence: Evidence, hasReport: boolean): string {
  const calls = callsText(evidence);
  const numbers = [
    plural(evidence.turns, "turn"),
    ...(calls === undefined ? [] : [calls]),
    seconds(evidence.durationMs),
    plural(tokensOf(evidence), "token"),
    `$${evidence.costUsd.toFixed(4)}`,
  ].join(", ");
  if (calls !== undefined) return numbers;
  // A report without any tool call must be recognizable. A background command may have ended without one.
  const isOnlyTalk = hasReport && evidence.commands.length === 0;
  return `${numbers}. No tool calls${isOnlyTalk ? ": whatever the report says, no file was read or changed, no command ran." : "."}`;
}

/** A report that claims a test run without one must be recognizable. */
function commandsLine({ commands, toolCalls }: Evidence, hasReport: boolean): string[] {
  if (commands.length > 0) return listLine("ran, newest first", commands.toReversed().map(commandText), 10);
  return hasReport && Object.keys(toolCalls).length > 0 ? ["ran: no command"] : [];
}

function callsText({ toolCalls }: Evidence): string | undefined {
  const entries = Object.entries(toolCalls);
  const sum = entries.reduce((total, [, count]) => total + count, 0);
  if (sum === 0) return undefined;
  const shown = entries.slice(0, 12).map(([name, count]) => `${cut(oneLine(name), 60)} ${count}`);
  return `${plural(sum, "tool call")} (${shown.join(", ")}${entries.length > 12 ? ", …" : ""})`;
}

function listLine(name: string, items: readonly string[], most: number): string[] {
  if (items.length === 0) return [];
  const more = items.length > most ? ` and ${items.length - most} more` : "";
  return [`${name}: ${items.slice(0, most).join(", ")}${more}`];
}

function commandText({ command, status, exitCode, durationMs }: CommandEvidence): string {
  const end = status === "exited" ? `exit ${exitCode}${hasOthers(command) ? " of its last command" : ""}` : status;
  return `${quoted(command)} (${end}, ${seconds(durationMs)})`;
}

/** The exit code of a pipe or a list is that of its last command: it says nothing about the others. */
const hasOthers = (command: string) => /[^|]\|(?!\|)|[;\n]\s*[^\s;&|]/.test(command.replace(/'[^']*'|"[^"]*"/g, ""));

const callText = ({ what, outcome, reason }: CallEvidence) =>
  `${quoted(what.replace(/^\$ /, ""))} (${outcome === "interrupted" ? "interrupted" : shortReason(reason, what)})`;

/** The cause alone. The agent that reads it needs neither the advice to the other one nor the call again. */
function shortReason(reason: string, what: string): string {
  const sentence = reason
    .replace(/^(?:Not (?:run|read|changed|fetched|called|allowed)|Refused): /, "")
    .replace(/ (?:Do not try|Continue without|Go on)\b.*$/, "")
    .split(/(?<=[.!?]) /)[0];
  const line = oneLine(sentence ?? reason).replace(/[.:]$/, "");
  return cut((line.startsWith(what) ? line.slice(what.length).trim() : line) || "no reason", 100);
}

/** Equal entries count once. */
function folded(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].map(([item, count]) => (count === 1 ? item : `${item} ×${count}`));
}

/** Files and changed lines, in one line. */
export function diffText({ files, added, removed }: DiffStat): string {
  const names = files.slice(0, 12).map((file) => `${quoted(file.path)} +${file.added ?? "?"} -${file.removed ?? "?"}`);
  const more = files.length > 12 ? ` and ${files.length - 12} more` : "";
  return `diff: ${plural(files.length, "file")}, +${added} -${removed}${names.length > 0 ? `: ${names.join(", ")}${more}` : ""}`;
}

function acceptanceLines({ state, checks, problem }: Acceptance): string[] {
  const said = {
    claimed: "claimed as done, not checked",
    verified: "verified: every acceptance check passed",
    refuted: "refuted: not done, an acceptance check failed",
  }[state];
  return [
    `${said}${problem === undefined ? "" : ` (${oneLine(problem)})`}`,
    ...checks.slice(0, 10).map(({ command, passed, how, tail }) => {
      const end = passed || tail === "" ? "" : `, its output ends with ${JSON.stringify(tail.slice(-600))}`;
      return `check ${quoted(command)}: ${passed ? "passed" : `failed (${how})`}${end}`;
    }),
  ];
}

const tokensOf = ({ tokens }: Evidence) =>
  tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens;

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
const seconds = (ms: number) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);
/** On one line, without a backtick that would end it. */
const quoted = (text: string) => `\`${cut(oneLine(text), 160).replaceAll("`", "ˋ")}\``;
