import {
  addUsage,
  type AgentId,
  type CallId,
  type Envelope,
  type SessionId,
  type StopReason,
  type Usage,
} from "../protocol/index.ts";
import { answerText } from "../view/index.ts";

/** A call that the user, a rule or a hook denied. */
export interface DeniedCall {
  readonly tool: string;
  readonly callId: CallId;
  readonly input: unknown;
}

/** The work of the agents of a session, counted from events. */
export interface RunTally {
  /** The lead's last answer that is not empty. */
  readonly answer: string;
  /** Why the lead's last turn ended. */
  readonly stop: StopReason | undefined;
  /** The model of the lead. */
  readonly model: string;
  readonly turns: number;
  readonly costUsd: number;
  readonly usage: Usage;
  readonly denials: readonly DeniedCall[];
}

/** Counts the events that it is given. The first agent of the session is its lead, unless `lead` is given. */
export function createRunTally(sessionId: SessionId, lead?: AgentId) {
  const calls = new Map<CallId, { name: string; input: unknown }>();
  const denials: DeniedCall[] = [];
  const tally: Writable<RunTally> = {
    answer: "",
    stop: undefined,
    model: "",
    turns: 0,
    costUsd: 0,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    denials,
  };
  return {
    get sum(): RunTally {
      return { ...tally, denials: [...denials] };
    },
    add({ event, agent, session }: Envelope): void {
      if (session === sessionId) lead ??= agent;
      // Only the lead's text is the answer, even if another agent writes last.
      // An empty answer, as after a wake with nothing to add, does not replace the one before.
      if (agent === lead && answerText(event)?.trim()) tally.answer = answerText(event) ?? "";
      switch (event.type) {
        case "turn.started":
          if (agent === lead) tally.model = event.model;
          break;
        case "turn.ended":
          tally.turns += 1;
          if (agent === lead) tally.stop = event.stopReason;
          for (const part of event.parts) if (part.type === "tool_call") calls.set(part.callId, part);
          break;
        case "cost.recorded":
          tally.costUsd += event.costUsd;
          tally.usage = addUsage(tally.usage, event.usage);
          break;
        case "tool.settled": {
          const call = calls.get(event.callId);
          calls.delete(event.callId);
          // The lead's answer to a teammate's plan is a review, not a permission.
          const isReview = call?.name === "ExitPlanMode" && agent !== lead;
          if (event.outcome === "denied" && call && !isReview)
            denials.push({ tool: call.name, callId: event.callId, input: call.input });
          break;
        }
        default:
          break;
      }
    },
  };
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
