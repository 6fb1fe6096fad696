import { visibleLine } from "../../../../src/protocol/index.ts";
import type { ClosedSpan, SpanKind } from "../../../../src/view/index.ts";
import { clockWords, spanWords } from "../../parts/amounts.ts";

export const kindWords: Readonly<Record<SpanKind, string>> = {
  thinking: "thinking",
  tool: "tool",
  permission: "waits for permission",
  model: "waits for the model",
  idle: "idle",
  stopped: "stopped",
};

export const spanKinds = Object.keys(kindWords) as SpanKind[];

export interface SpanWords {
  readonly head: string;
  readonly detail: string;
  readonly when: string;
}

export function wordsOf(span: ClosedSpan): SpanWords {
  const { kind, name, title, from, to, outcome, merged } = span;
  const tool = kind === "tool" || kind === "permission" ? visibleLine(name) : "";
  const head =
    merged === undefined
      ? [kindWords[kind], tool].filter((word) => word !== "").join(": ")
      : `${merged} spans, mostly ${kindWords[kind]}`;
  const about =
    kind === "tool" || kind === "permission" ? title : [name, title].filter((word) => word !== "").join(": ");
  const ended = outcome !== undefined && outcome !== "ok" ? ` (${outcome})` : "";
  const when = `${clockWords(new Date(from).toISOString())}, for ${spanWords(to - from)}`;
  return { head, detail: merged === undefined ? `${visibleLine(about)}${ended}` : "", when };
}
