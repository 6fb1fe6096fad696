import { cut, oneLine } from "../../protocol/index.ts";
import type { Acceptance } from "./acceptance-checks.ts";
import type { DiffStat } from "./diff-stat.ts";
import type { CallEvidence, CommandEvidence, Evidence } from "./evidence.ts";

/** Everything known about how a result was produced. */
export interface FullEvidence extends Evidence {
  readonly diff?: DiffStat | undefined;
  readonly acceptance?: Acceptance | undefined;
}

/**
 * Short text for the agent that gets the result, equal for equal evidence. Paths and commands of the other agent are
 * quoted on one line, so that they cannot pass for Troupe's own text.
 */
export function evidenceText(evidence: FullEvidence, of: "all" | "since its last report" = "all"): string {
  const lines = [
    `${plural(evidence.turns, "turn")}, ${callsLine(evidence)}, ${seconds(evidence.durationMs)}, ${plural(tokensOf(evidence), "token")}, $${evidence.costUsd.toFixed(4)}`,
    ...listLine("changed", evidence.filesChanged.map(quoted), 12),
    ...listLine("read", evidence.filesRead.map(quoted), 8),
    ...listLine("ran, newest first", evidence.commands.toReversed().map(commandText), 10),
    ...listLine("was denied", evidence.denied.map(callText), 4),
    ...listLine("failed", evidence.failed.map(callText), 4),
    ...(evidence.diff ? [diffText(evidence.diff)] : []),
    ...(evidence.acceptance ? acceptanceLines(evidence.acceptance) : []),
  ];
  const scope = of === "all" ? "" : ` ${of}`;
  return [`What was really done${scope}, by the log:`, ...lines.map((line) => `- ${line}`)].join("\n");
}

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

function callsLine({ toolCalls }: Evidence): string {
  const entries = Object.entries(toolCalls);
  const sum = entries.reduce((total, [, count]) => total + count, 0);
  // A report without any tool call must be recognizable.
  if (sum === 0) return "no tool calls: regardless of the report, no file was read or changed and no command ran";
  const shown = entries.slice(0, 12).map(([name, count]) => `${cut(oneLine(name), 60)} ${count}`);
  return `${plural(sum, "tool call")} (${shown.join(", ")}${entries.length > 12 ? ", …" : ""})`;
}

function listLine(name: string, items: readonly string[], most: number): string[] {
  if (items.length === 0) return [];
  const more = items.length > most ? ` and ${items.length - most} more` : "";
  return [`${name}: ${items.slice(0, most).join(", ")}${more}`];
}

function commandText({ command, status, exitCode, durationMs }: CommandEvidence): string {
  const end = status === "exited" ? `exit ${exitCode}` : status;
  return `${quoted(command)} (${end}, ${seconds(durationMs)})`;
}

const callText = ({ what, outcome, reason }: CallEvidence) =>
  `${quoted(what)} (${outcome === "interrupted" ? "interrupted" : quoted(reason)})`;

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
const quoted = (text: string) => JSON.stringify(cut(oneLine(text), 160));
