import type { Event } from "../../src/protocol/index.ts";
import type { Paint } from "../../src/cli/screen.ts";
import type { Column } from "./columns.ts";

type Settled = Extract<Event, { type: "tool.settled" }>;

/** A call on its way. */
export interface OpenCall {
  readonly name: string;
  readonly title: string;
  /** Its time is somebody's time to answer. */
  readonly wasAsked: boolean;
}

/** One call with what it came to. */
export function drawCall(column: Column, paint: Paint, { call, settled }: { call: OpenCall; settled: Settled }): void {
  const ok = settled.outcome === "ok";
  const facts = [
    ...(ok ? [] : [settled.outcome]),
    ...(settled.outcome === "interrupted" ? [] : measureOf(settled)),
    ...(call.wasAsked || settled.outcome === "interrupted" ? [] : [duration(settled.durationMs)]),
  ];
  column.write(
    `${call.wasAsked ? opening(call.title) : shortened(call.title)}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    {
      mark: ok ? "✓" : "✗",
      markStyle: ok ? paint.green : paint.red,
    },
  );
  if (settled.display?.kind === "diff") return drawDiff(column, paint, settled.display.patch);
  if (call.name === "Bash" || !ok) drawOutput(column, paint, { call, settled });
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
  const lines = patch.split("\n").filter((line) => /^[+-]/.test(line));
  for (const line of lines.slice(0, longestDiff))
    column.writeBelow(line, line.startsWith("+") ? paint.green : paint.red);
  if (lines.length > longestDiff) column.writeBelow(`… and ${lines.length - longestDiff} more lines`, paint.dim);
}

const longestDiff = 6;

/** Of a test run its faults and counts, of anything else its beginning, where it went wrong or is Troupe's own. */
function drawOutput(column: Column, paint: Paint, { call, settled }: { call: OpenCall; settled: Settled }): void {
  const lines = textOf(settled)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const counts = lines.filter((line) => /^ℹ (pass|fail) \d/.test(line)).map((line) => line.slice(2));
  const failing = [...new Set(lines.filter((line) => /^✖ .* \(\S+ms\)$/.test(line)))];
  const isShown = settled.outcome !== "ok" || call.title.startsWith("$ troupe ");
  const shown = counts.length > 0 ? [...failing, counts.join(", ")] : lines.slice(0, isShown ? 6 : 0);
  for (const line of shown) column.writeBelow(line.replace(/ \([\d.]+ms\)$/, ""), paint.dim);
}

const textOf = ({ content }: Settled) => content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

const duration = (ms: number) => (ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
