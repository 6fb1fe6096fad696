import type { ClosedSpan, SpanKind } from "./timeline-spans.ts";

/** A lane to search: its spans in any order, and the lane that started its agent. */
export interface PathLane {
  readonly spans: readonly ClosedSpan[];
  readonly parent: number | undefined;
}

/** A message between two lanes. */
export interface PathMessage {
  readonly from: number;
  readonly to: number;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** One step of the path: an activity that everything after it waited for. */
export interface PathStep {
  readonly lane: number;
  readonly kind: SpanKind;
  readonly from: number;
  readonly to: number;
}

const maxSteps = 5_000;
/** A message counts as the cause of work that begins this long after it. */
const slackMs = 1_500;

/**
 * The chain of activities that decided how long the run took, in order of time. It is followed back from the last work:
 * through the work of an agent, and where the agent was idle, to the agent whose message it waited for.
 */
export function criticalPath(lanes: readonly PathLane[], messages: readonly PathMessage[]): readonly PathStep[] {
  const sorted = lanes.map(({ spans }) => spans.toSorted((a, b) => a.from - b.from));
  const last = lastWork(sorted);
  const steps: PathStep[] = [];
  let here = last;
  while (here && steps.length < maxSteps) {
    const { lane, at } = here;
    const step = stepBefore(sorted[lane] ?? [], lane, at);
    if (!step) {
      const parent = lanes[lane]?.parent;
      here = parent === undefined || parent === lane ? undefined : { lane: parent, at };
      if (here && !stepBefore(sorted[here.lane] ?? [], here.lane, at)) here = undefined;
      continue;
    }
    const cause = isRest(step.kind) ? causeOf(messages, lane, step) : undefined;
    if (cause) {
      here = { lane: cause.from, at: cause.sentAt };
      if (at > cause.sentAt) steps.push({ ...step, from: cause.sentAt, kind: "model" });
    } else {
      steps.push(step);
      here = { lane, at: step.from };
    }
  }
  return steps.reverse();
}

interface Place {
  readonly lane: number;
  readonly at: number;
}

const isRest = (kind: SpanKind): boolean => kind === "idle" || kind === "stopped";

function lastWork(lanes: readonly (readonly ClosedSpan[])[]): Place | undefined {
  let best: Place | undefined;
  for (const [lane, spans] of lanes.entries())
    for (const { kind, to } of spans) if (!isRest(kind) && (!best || to > best.at)) best = { lane, at: to };
  return best;
}

/** The activity of a lane just before a time; a gap counts as idle. */
function stepBefore(spans: readonly ClosedSpan[], lane: number, at: number): PathStep | undefined {
  let best: ClosedSpan | undefined;
  for (const span of spans) {
    if (span.from >= at) break;
    const [end, known] = [Math.min(span.to, at), best ? Math.min(best.to, at) : -Infinity];
    if (end > known || (end === known && best && isRest(best.kind) && !isRest(span.kind))) best = span;
  }
  if (!best) return undefined;
  if (best.to < at) return { lane, kind: "idle", from: best.to, to: at };
  return { lane, kind: best.kind, from: best.from, to: at };
}

/** The latest message of another agent that arrived while the lane was idle. */
function causeOf(messages: readonly PathMessage[], lane: number, idle: PathStep): PathMessage | undefined {
  let best: PathMessage | undefined;
  for (const message of messages) {
    // The sender's log may name a later time than the receiver's: it is written after the delivery.
    const sentAt = Math.min(message.sentAt, message.receivedAt);
    if (message.to !== lane || message.from === lane || sentAt > idle.to || sentAt < idle.from) continue;
    // Always earlier, so that the search ends.
    if (message.receivedAt <= idle.to + slackMs && (!best || sentAt >= best.sentAt))
      best = { ...message, sentAt: Math.min(sentAt, idle.to - 1) };
  }
  return best;
}
