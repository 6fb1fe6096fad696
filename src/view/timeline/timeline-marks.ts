import type { AgentId, CallId, Envelope, Event, EventId, SessionId } from "../../protocol/index.ts";

/** A moment that people look for: its agent's lane and the scrubber of a replay mark it. */
export interface TimelineMark {
  readonly kind: MarkKind;
  readonly at: number;
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly event: EventId;
  /** Unfiltered. */
  readonly text: string;
}

export type MarkKind = "question" | "death" | "resume" | "failure" | "commit" | "landing" | "compaction";

export interface Marks {
  /** The latest ones, in the order of their events. */
  readonly list: readonly TimelineMark[];
  /** Calls that become a mark if they succeed. */
  readonly open: ReadonlyMap<CallId, { readonly kind: MarkKind; readonly text: string }>;
}

export const emptyMarks: Marks = { list: [], open: new Map() };

/** Maximum number of marks of a session. */
export const maxMarks = 500;

/** The times around an event, as the timeline knows them. */
interface Before {
  readonly now: number;
  /** The time of the agent's previous event. */
  readonly last: number;
  /** True if the session was closed properly. */
  readonly isClosed: boolean;
}

/** Adds the marks of a stored event. Returns the same object if it has none. */
export function reduceMarks(marks: Marks, envelope: Envelope, before: Before): Marks {
  const { event } = envelope;
  switch (event.type) {
    case "tool.called": {
      const found = callMark(event);
      return found ? { ...marks, open: new Map(marks.open).set(event.callId, found) } : marks;
    }
    case "tool.settled": {
      const found = marks.open.get(event.callId);
      if (!found) return marks;
      const open = new Map(marks.open);
      open.delete(event.callId);
      return event.outcome === "ok"
        ? added({ ...marks, open }, envelope, { ...found, at: before.now })
        : { ...marks, open };
    }
    case "session.opened": {
      if (!event.resumed) return marks;
      const died: Marked = { kind: "death", at: before.last, text: "its process ended without a word" };
      const after = before.isClosed ? marks : added(marks, envelope, died);
      return added(after, envelope, { kind: "resume", at: before.now, text: "resumed" });
    }
    case "permission.asked":
      // The member's own log has it too.
      if (event.member) return marks;
      return added(marks, envelope, { kind: "question", at: before.now, text: event.question });
    case "agent.stopped":
      if (event.outcome === "completed") return marks;
      return added(marks, envelope, {
        kind: event.outcome === "killed" ? "death" : "failure",
        at: before.now,
        text: event.detail ?? event.outcome,
      });
    case "agent.idle":
      if (event.reason !== "failed") return marks;
      return added(marks, envelope, { kind: "failure", at: before.now, text: event.detail ?? "failed" });
    case "context.compacted":
      return added(marks, envelope, { kind: "compaction", at: before.now, text: "older turns became a summary" });
    default:
      return marks;
  }
}

type Marked = Pick<TimelineMark, "kind" | "at" | "text">;

function added(marks: Marks, { agent, session, id }: Envelope, { kind, at, text }: Marked): Marks {
  const mark: TimelineMark = { kind, at, text: text.slice(0, 160), agent, session, event: id };
  return { ...marks, list: [...marks.list, mark].slice(-maxMarks) };
}

/** Commits and landings are calls: a command of git or Troupe, or the tool Land. */
function callMark({ name, input, title }: Extract<Event, { type: "tool.called" }>) {
  if (name === "Land") return { kind: "landing", text: title } as const;
  if (name !== "Bash" || typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const command = typeof input.command === "string" ? input.command : "";
  if (/\btroupe land\b/.test(command)) return { kind: "landing", text: command } as const;
  return /\bgit\b[^;&|]*\scommit\b/.test(command) ? ({ kind: "commit", text: command } as const) : undefined;
}
