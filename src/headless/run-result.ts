import { addUsage, type AgentId, type Envelope, type SessionId, type Usage } from "../protocol/index.ts";
import type { RunOutcome } from "../session/index.ts";
import { answerText } from "../view/index.ts";

/**
 * The result of a whole run, printed by `--output-format json`. The field names are those that existing scripts use.
 */
export interface RunResult {
  readonly type: "result";
  readonly subtype: "success" | "error_during_execution" | "error_max_turns" | "error_max_budget" | "interrupted";
  readonly is_error: boolean;
  readonly result: string;
  readonly error?: string;
  readonly session_id: SessionId;
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly total_cost_usd: number;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
  };
  readonly permission_denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: unknown;
  }[];
  readonly model: string;
}

export interface RunResultBuilder {
  add(envelope: Envelope): void;
  /** `problem` is the last input or prompt that failed. */
  finish(end: { outcome: RunOutcome | undefined; problem: string | undefined; interrupted: boolean }): RunResult;
}

/** Computes the result of one run from its events. */
export function createRunResult(run: { sessionId: SessionId; startedAt: number; now: () => number }): RunResultBuilder {
  let lead: AgentId | undefined;
  let answer = "";
  let turns = 0;
  let cost = 0;
  let model = "";
  let usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const calls = new Map<string, { name: string; input: unknown }>();
  const denials: RunResult["permission_denials"][number][] = [];

  return {
    add({ event, agent, session }) {
      if (session === run.sessionId) lead ??= agent;
      // Only the lead's text is the answer, even if another agent writes last.
      if (agent === lead) answer = answerText(event) ?? answer;
      switch (event.type) {
        case "turn.started":
          if (agent === lead) model = event.model;
          break;
        case "turn.ended": {
          turns += 1;
          for (const part of event.parts) if (part.type === "tool_call") calls.set(part.callId, part);
          break;
        }
        case "cost.recorded":
          cost += event.costUsd;
          usage = addUsage(usage, event.usage);
          break;
        case "tool.settled": {
          const call = calls.get(event.callId);
          if (event.outcome === "denied" && call) {
            denials.push({ tool_name: call.name, tool_use_id: event.callId, tool_input: call.input });
          }
          break;
        }
        default:
          break;
      }
    },
    finish({ outcome, problem, interrupted }) {
      const nothingDone = turns === 0 && problem !== undefined && !interrupted;
      const subtype = nothingDone ? "error_during_execution" : subtypeOf(outcome, interrupted);
      const error = outcome === undefined || outcome.reason === "completed" ? problem : outcome.detail;
      return {
        type: "result",
        subtype,
        is_error: subtype !== "success" || problem !== undefined,
        result: answer,
        ...(error !== undefined && { error }),
        session_id: run.sessionId,
        num_turns: turns,
        duration_ms: Math.round(run.now() - run.startedAt),
        total_cost_usd: Number(cost.toFixed(6)),
        usage: {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
          cache_creation_input_tokens: usage.cacheWriteTokens,
        },
        permission_denials: denials,
        model,
      };
    },
  };
}

function subtypeOf(outcome: RunOutcome | undefined, interrupted: boolean): RunResult["subtype"] {
  if (interrupted) return "interrupted";
  switch (outcome?.reason) {
    case undefined:
    case "completed":
      return "success";
    case "failed":
      return "error_during_execution";
    case "interrupted":
      return "interrupted";
    case "limit":
      return /limit of \d+ turn/.test(outcome?.detail ?? "") ? "error_max_turns" : "error_max_budget";
  }
}

/** The exit code of a run. `docs/headless.md` is the contract. */
export function exitCodeOf(result: RunResult): number {
  switch (result.subtype) {
    case "success":
      return result.is_error ? 1 : 0;
    case "error_during_execution":
      return 1;
    case "error_max_turns":
    case "error_max_budget":
      return 3;
    case "interrupted":
      return 130;
  }
}
