import type { Envelope, SessionId, StopReason } from "../protocol/index.ts";
import { createRunTally, type OpenTeamWork, type RunOutcome } from "../session/index.ts";

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
  /** Tasks of the team that are not done. This and the two below are missing if there are none. */
  readonly open_tasks?: readonly OpenTask[];
  /** Members that still worked when the run ended. */
  readonly running_members?: readonly string[];
  /** Branches of members with commits or files that are not landed. */
  readonly unlanded_branches?: readonly UnlandedBranch[];
}

export interface OpenTask {
  readonly id: number;
  readonly subject: string;
  readonly status: string;
  readonly owner?: string;
}

export interface UnlandedBranch {
  readonly branch: string;
  readonly path: string;
  readonly commits: number;
  readonly uncommitted_files: number;
}

export interface RunResultBuilder {
  add(envelope: Envelope): void;
  finish(end: RunEnd): RunResult;
}

export interface RunEnd {
  readonly outcome: RunOutcome | undefined;
  /** The last input or prompt that failed. */
  readonly problem: string | undefined;
  readonly interrupted: boolean;
  readonly openWork: OpenTeamWork;
}

/** Computes the result of one run from its events. */
export function createRunResult(run: { sessionId: SessionId; startedAt: number; now: () => number }): RunResultBuilder {
  const tally = createRunTally(run.sessionId);
  return {
    add: tally.add,
    finish({ outcome, problem, interrupted, openWork }) {
      const { answer, stop, model, turns, costUsd, usage, denials } = tally.sum;
      const nothingDone = turns === 0 && problem !== undefined && !interrupted;
      const subtype = nothingDone ? "error_during_execution" : subtypeOf(outcome, interrupted);
      const isCompleted = outcome === undefined || outcome.reason === "completed";
      const unanswered = isCompleted && turns > 0 && !interrupted ? unansweredReason(stop, answer) : undefined;
      const error = isCompleted ? (problem ?? unanswered) : outcome.detail;
      return {
        type: "result",
        subtype,
        is_error: subtype !== "success" || error !== undefined,
        result: answer,
        ...(error !== undefined && { error }),
        session_id: run.sessionId,
        num_turns: turns,
        duration_ms: Math.round(run.now() - run.startedAt),
        total_cost_usd: Number(costUsd.toFixed(6)),
        usage: {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cache_read_input_tokens: usage.cacheReadTokens,
          cache_creation_input_tokens: usage.cacheWriteTokens,
        },
        permission_denials: denials.map(({ tool, callId, input }) => ({
          tool_name: tool,
          tool_use_id: callId,
          tool_input: input,
        })),
        model,
        ...openWorkFields(openWork),
      };
    },
  };
}

/** Why the last answer of the lead is not a whole answer. */
function unansweredReason(stop: StopReason | undefined, answer: string): string | undefined {
  if (stop === "max_tokens") return "the answer is cut off: the model reached its limit of output tokens";
  if (stop === "refusal") return "the model refused to answer";
  return answer.trim() === "" ? "the model gave no answer" : undefined;
}

function openWorkFields({
  tasks,
  runningMembers,
  worktrees,
}: OpenTeamWork): Pick<RunResult, "open_tasks" | "running_members" | "unlanded_branches"> {
  return {
    ...(tasks.length > 0 && {
      open_tasks: tasks.map(({ id, subject, status, owner }) => ({
        id,
        subject,
        status,
        ...(owner !== undefined && { owner }),
      })),
    }),
    ...(runningMembers.length > 0 && { running_members: runningMembers }),
    ...(worktrees.length > 0 && {
      unlanded_branches: worktrees.map(({ branch = "(no branch)", path, commits, uncommittedFiles }) => ({
        branch,
        path,
        commits: Number.isFinite(commits) ? commits : 1,
        uncommitted_files: uncommittedFiles,
      })),
    }),
  };
}

/** One line about what a run left open, for people. Undefined if nothing is open. */
export function openWorkLine({
  open_tasks: tasks = [],
  running_members: running = [],
  unlanded_branches: branches = [],
}: RunResult): string | undefined {
  const parts = [
    ...(tasks.length > 0 ? [`open tasks: ${tasks.map(({ id, subject }) => `#${id} ${subject}`).join(", ")}`] : []),
    ...(running.length > 0 ? [`still working: ${running.join(", ")}`] : []),
    ...(branches.length > 0 ? [`not landed: ${branches.map(({ branch }) => branch).join(", ")}`] : []),
  ];
  return parts.length === 0 ? undefined : `the run ended with open work; ${parts.join("; ")}`;
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

/** The exit code of a run. `docs/reference/headless.md` is the contract. */
export function exitCodeOf(result: RunResult): number {
  switch (result.subtype) {
    case "success":
      return result.is_error ? 1 : openWorkLine(result) === undefined ? 0 : 4;
    case "error_during_execution":
      return 1;
    case "error_max_turns":
    case "error_max_budget":
      return 3;
    case "interrupted":
      return 130;
  }
}
