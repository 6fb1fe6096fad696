import { type Envelope, type EventId, type MailId, teamLead } from "../../protocol/index.ts";
import { createEvidence } from "../evidence/evidence.ts";
import { joinEvidenceTotals, type EvidenceTotals } from "../evidence/evidence-totals.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** The work of a teammate since its last report, for its lead. */
export interface UnreportedResult {
  /** Derived from the idle event after its last work, so that a repeated mail is read once. */
  readonly mailId: MailId;
  /** True if it called its model since the previous idle event. */
  readonly hasWorked: boolean;
  readonly answers: readonly string[];
  /** The text written with a tool call after its last answer. */
  readonly lastText: string | undefined;
  /** The summary of its last message to a member other than the lead. */
  readonly lastPeerMessage: string | undefined;
  readonly completed: CompletedTask | undefined;
  readonly evidenceTotals: EvidenceTotals;
  readonly isFirst: boolean;
}

/** `checks` is undefined in logs of earlier versions. */
interface CompletedTask {
  readonly taskId: number;
  readonly checks: Extract<Envelope["event"], { type: "task.updated" }>["checks"];
}

/** The work that a teammate has not reported to its lead yet. Folded from its log, so that a crash loses nothing. */
export interface UnreportedWork {
  apply(envelope: Pick<Envelope, "id" | "at" | "event">): void;
  /** All work up to this idle event. Undefined if it was reported. */
  reportUntil(idleEvent: EventId): (UnreportedResult & { readonly idle: Idle }) | undefined;
  /** All work so far, for a member that ends in the middle of a turn. Undefined if it had no turn. */
  reportUntilNow(): UnreportedResult | undefined;
  /** Its last idle event, if it was not reported. */
  readonly lastIdleEvent: EventId | undefined;
  /** It has answered since its last idle event. */
  readonly hasAnswered: boolean;
}

type ReportPart = Omit<UnreportedResult, "isFirst">;
type IdlePart = ReportPart & { readonly idleEvent: EventId; readonly idle: Idle };

export function createUnreportedWork(): UnreportedWork {
  const evidence = createEvidence();
  let idleParts: IdlePart[] = [];
  let current = emptyPart;
  let lastTurn: EventId | undefined;
  let isFirst = true;

  const markReported = (mailId: MailId) => {
    isFirst = false;
    if (lastTurn !== undefined && mailId === mailIdOf(lastTurn)) {
      idleParts = [];
      current = emptyPart;
      evidence.cut();
      return;
    }
    const index = idleParts.findIndex((idleEvent) => idleEvent.mailId === mailId);
    idleParts = idleParts.slice(index + 1);
  };

  const applyEvent = (event: Envelope["event"], id: EventId) => {
    switch (event.type) {
      case "turn.started":
        current = { ...current, hasWorked: true };
        return;
      case "turn.ended":
        lastTurn = id;
        current = { ...current, ...wordsOf(event, current) };
        return;
      case "mail.sent":
        if (event.kind === "idle_notification") markReported(event.mailId);
        if (event.kind === "text" && event.to !== teamLead)
          current = { ...current, lastPeerMessage: event.summary ?? `(to ${event.to})` };
        return;
      case "task.updated":
        if (event.status === "completed")
          current = { ...current, completed: { taskId: event.taskId, checks: event.checks } };
        return;
      case "agent.idle":
        idleParts.push({
          ...current,
          idleEvent: id,
          mailId: mailIdOf(id),
          idle: event,
          evidenceTotals: evidence.cut(),
        });
        current = emptyPart;
        return;
      default:
        return;
    }
  };

  return {
    apply({ id, at, event }) {
      evidence.add({ at, event });
      applyEvent(event, id);
    },
    reportUntil(idleEvent) {
      const parts = idleParts.slice(0, idleParts.findIndex((each) => each.idleEvent === idleEvent) + 1);
      const last = lastWorked(parts);
      return last && { ...joinParts(parts), mailId: last.mailId, idle: last.idle, isFirst };
    },
    reportUntilNow() {
      if (lastTurn === undefined) return undefined;
      const mailId = mailIdOf(lastTurn);
      return { ...joinParts([...idleParts, { ...current, mailId, evidenceTotals: evidence.totals() }]), isFirst };
    },
    get lastIdleEvent() {
      return idleParts.at(-1)?.idleEvent;
    },
    get hasAnswered() {
      return current.answers.length > 0;
    },
  };
}

const emptyPart: Pick<UnreportedResult, "hasWorked" | "answers" | "lastText" | "lastPeerMessage" | "completed"> = {
  hasWorked: false,
  answers: [],
  lastText: undefined,
  lastPeerMessage: undefined,
  completed: undefined,
};

/** Text without a tool call is an answer. Text with a tool call counts only if no answer follows. */
function wordsOf(
  { parts }: Extract<Envelope["event"], { type: "turn.ended" }>,
  { answers }: Pick<UnreportedResult, "answers">,
): Partial<Pick<UnreportedResult, "answers" | "lastText">> {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (text.trim() === "") return {};
  const isAnswer = parts.every((part) => part.type !== "tool_call");
  return isAnswer ? { answers: [...answers, text], lastText: undefined } : { lastText: text };
}

const lastWorked = (idleParts: readonly IdlePart[]): IdlePart | undefined =>
  idleParts.findLast(({ hasWorked }) => hasWorked) ?? idleParts[0];

const joinParts = (parts: readonly ReportPart[]): ReportPart => parts.reduce(joinTwo);

const joinTwo = (first: ReportPart, next: ReportPart): ReportPart => ({
  mailId: next.mailId,
  hasWorked: first.hasWorked || next.hasWorked,
  answers: [...first.answers, ...next.answers],
  lastText: next.lastText ?? (next.answers.length > 0 ? undefined : first.lastText),
  lastPeerMessage: next.lastPeerMessage ?? first.lastPeerMessage,
  completed: next.completed ?? first.completed,
  evidenceTotals: joinEvidenceTotals(first.evidenceTotals, next.evidenceTotals),
});

const mailIdOf = (id: EventId): MailId => id.replace(/^evt_/, "mail_") as MailId;
