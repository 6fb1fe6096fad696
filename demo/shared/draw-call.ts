import type { Event } from "../../src/protocol/index.ts";
import type { Paint } from "../../src/cli/screen.ts";
import type { Column } from "./columns.ts";

type Settled = Extract<Event, { type: "tool.settled" }>;

/** A call that is not settled yet. */
export interface OpenCall {
  readonly name: string;
  readonly title: string;
  /** True if its time includes the wait for an answer to a permission question. */
  readonly wasAsked: boolean;
}

/** Draws one call with its outcome. */
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

/** Removes the reporter option: every test command has it, and it means nothing to viewers. */
const shortened = (title: string) => title.replace(" --test-reporter=spec", "");

/** Shortens a title whose full text is in the permission question above. */
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

/** Draws only the removed and added lines. */
function drawDiff(column: Column, paint: Paint, patch: string): void {
  const lines = patch.split("\n").filter((line) => /^[+-]/.test(line));
  for (const line of lines.slice(0, longestDiff))
    column.writeBelow(line, line.startsWith("+") ? paint.green : paint.red);
  if (lines.length > longestDiff) column.writeBelow(`… and ${lines.length - longestDiff} more lines`, paint.dim);
}

const longestDiff = 6;

/** Draws the failures and counts of a test run, or the first lines of a failed command or one of Troupe's. */
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
