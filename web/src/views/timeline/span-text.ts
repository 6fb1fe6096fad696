import { visibleLine } from "../../../../src/protocol/index.ts";
import type { ClosedSpan, SpanKind } from "../../../../src/view/index.ts";
import { formatClock, formatDuration } from "../../parts/format-amounts.ts";

export const kindText: Readonly<Record<SpanKind, string>> = {
  thinking: "thinking",
  tool: "tool",
  permission: "waiting for permission",
  model: "waiting for the model",
  idle: "idle",
  stopped: "stopped",
};

export const spanKinds = Object.keys(kindText) as SpanKind[];

export interface SpanText {
  readonly head: string;
  readonly detail: string;
  readonly when: string;
}

/** Merged spans are counted, not named: `21,504 calls`. */
export const mergedText = ({ merged = 1, calls = 0 }: ClosedSpan): string =>
  calls > 0
    ? `${calls.toLocaleString("en")} ${calls === 1 ? "call" : "calls"}`
    : `${merged.toLocaleString("en")} spans`;

export function spanText(span: ClosedSpan): SpanText {
  const { kind, name, title, from, to, outcome, merged } = span;
  const tool = kind === "tool" || kind === "permission" ? visibleLine(name) : "";
  const head =
    merged === undefined
      ? [kindText[kind], tool].filter((word) => word !== "").join(": ")
      : `${mergedText(span)}, mostly ${kindText[kind]}`;
  const about =
    kind === "tool" || kind === "permission" ? title : [name, title].filter((word) => word !== "").join(": ");
  const ended = outcome !== undefined && outcome !== "ok" ? ` (${outcome})` : "";
  const when = `${formatClock(new Date(from).toISOString())}, for ${formatDuration(to - from)}`;
  return { head, detail: merged === undefined ? `${visibleLine(about)}${ended}` : "", when };
}
