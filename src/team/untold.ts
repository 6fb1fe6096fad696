import { type Envelope, type EventId, type MailId, teamLead } from "../protocol/index.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** What a teammate has done up to one of its rests, and what its lead is to hear of it. */
export interface Report {
  readonly rest: EventId;
  /** Follows from the rest after its last work: however often it is sent, it is read once. */
  readonly mailId: MailId;
  readonly idle: Idle;
  /** Whether it has asked its model since the rest before. */
  readonly worked: boolean;
  readonly answers: readonly string[];
  /** Of the last thing it said to somebody other than the lead. */
  readonly toPeer: string | undefined;
  readonly completed: number | undefined;
}

/** What the lead of a teammate has not been told yet. Folded from the teammate's log, so that its death loses none of it. */
export interface Untold {
  apply(envelope: Pick<Envelope, "id" | "event">): void;
  /** All that came before this rest, and the rest itself; undefined once it was told. */
  upTo(rest: EventId): Report | undefined;
  /** Its last rest, if that was not told. */
  readonly lastRest: EventId | undefined;
  /** It has answered since its last rest. */
  readonly hasAnswered: boolean;
}

export function createUntold(): Untold {
  let rests: Report[] = [];
  let now = nothing;

  const told = (mailId: MailId) => {
    const index = rests.findIndex((rest) => rest.mailId === mailId);
    rests = rests.slice(index + 1);
  };

  return {
    apply({ id, event }) {
      switch (event.type) {
        case "turn.started":
          now = { ...now, worked: true };
          return;
        case "turn.ended": {
          const text = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
          const isAnswer = text.trim() !== "" && event.parts.every((part) => part.type !== "tool_call");
          if (isAnswer) now = { ...now, answers: [...now.answers, text] };
          return;
        }
        case "mail.sent":
          if (event.kind === "idle_notification") told(event.mailId);
          if (event.kind === "text" && event.to !== teamLead)
            now = { ...now, toPeer: event.summary ?? `(to ${event.to})` };
          return;
        case "task.updated":
          if (event.status === "completed") now = { ...now, completed: event.taskId };
          return;
        case "agent.idle":
          rests.push({ ...now, rest: id, mailId: mailOf(id), idle: event });
          now = nothing;
          return;
        default:
          return;
      }
    },
    upTo(rest) {
      const index = rests.findIndex((each) => each.rest === rest);
      return rests.slice(0, index + 1).reduce<Report | undefined>(join, undefined);
    },
    get lastRest() {
      return rests.at(-1)?.rest;
    },
    get hasAnswered() {
      return now.answers.length > 0;
    },
  };
}

const nothing: Omit<Report, "rest" | "mailId" | "idle"> = {
  worked: false,
  answers: [],
  toPeer: undefined,
  completed: undefined,
};

const join = (before: Report | undefined, report: Report): Report => ({
  ...(before && !report.worked ? before : report),
  rest: report.rest,
  worked: report.worked || (before?.worked ?? false),
  answers: [...(before?.answers ?? []), ...report.answers],
  toPeer: report.toPeer ?? before?.toPeer,
  completed: report.completed ?? before?.completed,
});

const mailOf = (rest: EventId): MailId => rest.replace(/^evt_/, "mail_") as MailId;
