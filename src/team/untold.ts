import { type Envelope, type EventId, type MailId, teamLead } from "../protocol/index.ts";
import { createEvidence } from "./evidence.ts";
import { joinStretches, type Stretch } from "./stretch.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** What a teammate has done since its last report, and what its lead is to hear of it. */
export interface Report {
  /** Follows from the rest after its last work: however often it is sent, it is read once. */
  readonly mailId: MailId;
  /** Whether it has asked its model since the rest before. */
  readonly worked: boolean;
  readonly answers: readonly string[];
  /** Said together with a call, after the last of its answers. */
  readonly said: string | undefined;
  /** Of the last thing it said to somebody other than the lead. */
  readonly toPeer: string | undefined;
  readonly completed: number | undefined;
  readonly done: Stretch;
  readonly isFirst: boolean;
}

/** What the lead of a teammate has not been told yet. Folded from the teammate's log, so that its death loses none of it. */
export interface Untold {
  apply(envelope: Pick<Envelope, "id" | "at" | "event">): void;
  /** All that came before this rest, and the rest itself; undefined once it was told. */
  upTo(rest: EventId): (Report & { readonly idle: Idle }) | undefined;
  /** All there is, for one that goes in the middle of a turn; undefined if it has no turn. */
  upToNow(): Report | undefined;
  /** Its last rest, if that was not told. */
  readonly lastRest: EventId | undefined;
  /** It has answered since its last rest. */
  readonly hasAnswered: boolean;
}

type Part = Omit<Report, "isFirst">;
type Rest = Part & { readonly rest: EventId; readonly idle: Idle };

export function createUntold(): Untold {
  const evidence = createEvidence();
  let rests: Rest[] = [];
  let now = nothing;
  let lastTurn: EventId | undefined;
  let isFirst = true;

  const told = (mailId: MailId) => {
    isFirst = false;
    if (lastTurn !== undefined && mailId === mailOf(lastTurn)) {
      rests = [];
      now = nothing;
      evidence.cut();
      return;
    }
    const index = rests.findIndex((rest) => rest.mailId === mailId);
    rests = rests.slice(index + 1);
  };

  const come = (event: Envelope["event"], id: EventId) => {
    switch (event.type) {
      case "turn.started":
        now = { ...now, worked: true };
        return;
      case "turn.ended":
        lastTurn = id;
        now = { ...now, ...wordsOf(event, now) };
        return;
      case "mail.sent":
        if (event.kind === "idle_notification") told(event.mailId);
        if (event.kind === "text" && event.to !== teamLead)
          now = { ...now, toPeer: event.summary ?? `(to ${event.to})` };
        return;
      case "task.updated":
        if (event.status === "completed") now = { ...now, completed: event.taskId };
        return;
      case "agent.idle":
        rests.push({ ...now, rest: id, mailId: mailOf(id), idle: event, done: evidence.cut() });
        now = nothing;
        return;
      default:
        return;
    }
  };

  return {
    apply({ id, at, event }) {
      evidence.add({ at, event });
      come(event, id);
    },
    upTo(rest) {
      const parts = rests.slice(0, rests.findIndex((each) => each.rest === rest) + 1);
      const last = lastWorked(parts);
      return last && { ...joined(parts), mailId: last.mailId, idle: last.idle, isFirst };
    },
    upToNow() {
      if (lastTurn === undefined) return undefined;
      const mailId = mailOf(lastTurn);
      return { ...joined([...rests, { ...now, mailId, done: evidence.stretch() }]), isFirst };
    },
    get lastRest() {
      return rests.at(-1)?.rest;
    },
    get hasAnswered() {
      return now.answers.length > 0;
    },
  };
}

const nothing: Pick<Report, "worked" | "answers" | "said" | "toPeer" | "completed"> = {
  worked: false,
  answers: [],
  said: undefined,
  toPeer: undefined,
  completed: undefined,
};

/** What it says without a call is an answer; with one it is on its way to it, and counts if nothing comes after it. */
function wordsOf(
  { parts }: Extract<Envelope["event"], { type: "turn.ended" }>,
  { answers }: Pick<Report, "answers">,
): Partial<Pick<Report, "answers" | "said">> {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (text.trim() === "") return {};
  const isAnswer = parts.every((part) => part.type !== "tool_call");
  return isAnswer ? { answers: [...answers, text], said: undefined } : { said: text };
}

const lastWorked = (rests: readonly Rest[]): Rest | undefined => rests.findLast(({ worked }) => worked) ?? rests[0];

const joined = (parts: readonly Part[]): Part => parts.reduce(join);

const join = (first: Part, next: Part): Part => ({
  mailId: next.mailId,
  worked: first.worked || next.worked,
  answers: [...first.answers, ...next.answers],
  said: next.said ?? (next.answers.length > 0 ? undefined : first.said),
  toPeer: next.toPeer ?? first.toPeer,
  completed: next.completed ?? first.completed,
  done: joinStretches(first.done, next.done),
});

const mailOf = (id: EventId): MailId => id.replace(/^evt_/, "mail_") as MailId;
