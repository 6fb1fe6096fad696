import { type Envelope, type EventId, type MailId, teamLead } from "../../protocol/index.ts";
import { createEvidence } from "../evidence/evidence.ts";
import { joinEvidenceTotals, type EvidenceTotals } from "../evidence/evidence-totals.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** What a teammate has done since its last report, and what its lead is to hear of it. */
export interface UnreportedResult {
  /** Follows from the rest after its last work: however often it is sent, it is read once. */
  readonly mailId: MailId;
  /** Whether it has asked its model since the rest before. */
  readonly hasWorked: boolean;
  readonly answers: readonly string[];
  /** Said together with a call, after the last of its answers. */
  readonly lastText: string | undefined;
  /** Of the last thing it said to somebody other than the lead. */
  readonly lastPeerMessage: string | undefined;
  readonly completed: number | undefined;
  readonly evidenceTotals: EvidenceTotals;
  readonly isFirst: boolean;
}

/** What the lead of a teammate has not been told yet. Folded from the teammate's log, so that its death loses none of it. */
export interface UnreportedWork {
  apply(envelope: Pick<Envelope, "id" | "at" | "event">): void;
  /** All that came before this rest, and the rest itself; undefined once it was told. */
  reportUntil(idleEvent: EventId): (UnreportedResult & { readonly idle: Idle }) | undefined;
  /** All there is, for one that goes in the middle of a turn; undefined if it has no turn. */
  reportUntilNow(): UnreportedResult | undefined;
  /** Its last rest, if that was not told. */
  readonly lastIdleEvent: EventId | undefined;
  /** It has answered since its last rest. */
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
        if (event.status === "completed") current = { ...current, completed: event.taskId };
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

/** What it says without a call is an answer; with one it is on its way to it, and counts if nothing comes after it. */
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
