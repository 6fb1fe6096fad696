import type { Event } from "../../protocol/index.ts";
import type { Paint } from "../screen.ts";
import type { Column } from "./column.ts";

export type Settled = Extract<Event, { type: "tool.settled" }>;

/** A call on its way. */
export interface OpenCall {
  readonly name: string;
  readonly title: string;
  /** Its time is somebody's time to answer. */
  readonly asked: boolean;
}

/** One call with what it came to. */
export function drawCall(column: Column, paint: Paint, { call, settled }: { call: OpenCall; settled: Settled }): void {
  const ok = settled.outcome === "ok";
  const facts = [
    ...(ok ? [] : [settled.outcome]),
    ...measureOf(settled),
    ...(call.asked ? [] : [duration(settled.durationMs)]),
  ];
  column.say(
    `${call.asked ? opening(call.title) : shortened(call.title)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    {
      mark: ok ? "✓" : "✗",
      markStyle: ok ? paint.green : paint.red,
    },
  );
  if (settled.display?.kind === "diff") return drawDiff(column, paint, settled.display.patch);
  if (call.name === "Bash" || !ok) drawOutput(column, paint, settled);
}

/** What an agent has come back with: the log's own account of what it did, not its words. */
export function drawEvidence(column: Column, paint: Paint, settled: Settled): void {
  const ok = settled.outcome === "ok";
  const text = textOf(settled);
  const find = (pattern: RegExp) => pattern.exec(text)?.[1];
  const facts = [
    find(/^- (.*? tool calls? \(.*?\))/m) ?? "no tool was used",
    ...[find(/^- (changed: .*)$/m)].flatMap((changed) => (changed ? [basenames(changed)] : [])),
    ...[find(/^(diff: .*? files?, \+\d+ -\d+)/m)].flatMap((diff) => diff ?? []),
    ...[find(/^- ran, newest first: (.*)$/m)].flatMap((ran) => (ran ? [`ran: ${commands(ran)}`] : [])),
  ];
  column.say(`back after ${duration(settled.durationMs)}. By its log: ${facts.join("; ")}`, {
    mark: ok ? "■" : "✗",
    markStyle: ok ? paint.green : paint.red,
  });
}

const basenames = (paths: string) => paths.replace(/"[^"]*\/([^"/]*)"/g, "$1");

/** The first words of each, oldest first, with how it ended. */
function commands(newestFirst: string): string {
  const found = [...newestFirst.matchAll(/"((?:[^"\\]|\\.)*)" \((exit \S+|\w+),/g)];
  const words = ([, command = "", end = ""]: RegExpMatchArray) =>
    `${/^\S+ \S+/.exec(command)?.[0] ?? command} (${end})`;
  return found.toReversed().map(words).join(", ");
}

/** The tests' reporter is named in each command and says nothing to who watches. */
const shortened = (title: string) => title.replace(" --test-reporter=spec", "");

/** The rest of it stands in the question above. */
const opening = (title: string) => `${/^\$ \S+ \S+/.exec(title)?.[0] ?? title} …`;

function measureOf(settled: Settled): string[] {
  const { display } = settled;
  if (display?.kind === "terminal") return display.exitCode === 0 ? [] : [`exit code ${display.exitCode}`];
  if (display?.kind === "summary") return [display.text];
  const lines = display?.kind === "diff" ? display.patch.split("\n") : textOf(settled).trimEnd().split("\n");
  if (display?.kind !== "diff") return [`${lines.length} lines`];
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return [`+${count("+")} -${count("-")}`];
}

/** What goes and what comes; the lines around it stay out. */
function drawDiff(column: Column, paint: Paint, patch: string): void {
  for (const line of patch.split("\n")) {
    if (line.startsWith("+")) column.below(line, paint.green);
    else if (line.startsWith("-")) column.below(line, paint.red);
  }
}

/** Of a test run its faults and counts, of anything else its beginning, where it is the lead's or went wrong. */
function drawOutput(column: Column, paint: Paint, settled: Settled): void {
  const lines = textOf(settled)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const counts = lines.filter((line) => /^ℹ (pass|fail) \d/.test(line)).map((line) => line.slice(2));
  const failing = [...new Set(lines.filter((line) => /^✖ .* \(\S+ms\)$/.test(line)))];
  const shown =
    counts.length > 0
      ? [...failing, counts.join(", ")]
      : lines.slice(0, column.isLead || settled.outcome !== "ok" ? 8 : 0);
  for (const line of shown) column.below(line.replace(/ \([\d.]+ms\)$/, ""), paint.dim);
}

const textOf = ({ content }: Settled) => content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

export const duration = (ms: number) => (ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
