import { type Clock, type CreateId, createQueue } from "../platform/index.ts";
import type {
  AgentId,
  AgentPath,
  AnswerPart,
  CallId,
  Envelope,
  Message,
  ModelAnswer,
  ModelClient,
  ModelRequest,
  PromptId,
  SessionId,
  StopReason,
  ToolCallPart,
  Usage,
  Thinking,
} from "../protocol/index.ts";
import { type Tool, toolSpecs } from "../tool/index.ts";
import { askModel } from "./ask-model.ts";
import { type CompactResult, compact, estimateTokens, type KeepContext } from "./compact.ts";
import type { Conversation } from "./conversation.ts";
import type { EventSink } from "./event-sink.ts";
import { watchdogAbortReason } from "./watchdog-abort.ts";
import { emptyAnswer } from "./fragments/calls/empty-answer.ts";
import { truncatedCall } from "./fragments/calls/interrupted-call.ts";
import { type AgentHooks, sendBackToWork } from "./hooks.ts";
import type { Ledger } from "./ledger.ts";
import { maxTokens } from "./max-request-tokens.ts";
import type { Permissions } from "./permissions.ts";
import { createRecorder, isDiskFull, type Recorder, abortShortlyAfter } from "./recorder.ts";
import { type ExecuteCallsOptions, executeCalls } from "./execute-calls.ts";
import { closeOpenCalls } from "./close-open-calls.ts";

/** The limits of an agent on money, turns and tokens. */
export interface SpendingOptions {
  readonly ledger: Ledger;
  readonly costOf: (ref: string, usage: Usage) => number;
  readonly maxTurns?: number | undefined;
  /** The turns that count towards `maxTurns`, if they are more than those of one run. */
  readonly spent?: { turns: number } | undefined;
  /** The thinking to ask for in the next request. */
  thinking?(): Thinking;
}

export interface LoopOptions extends SpendingOptions {
  readonly agent: { readonly id: AgentId; readonly path: AgentPath; readonly type: string };
  /** Called before each turn: the model may change between turns. */
  readonly model: () => ModelClient;
  /**
   * Called before each turn: tools of servers come and go. The list must not change otherwise, or the prompt cache is
   * lost.
   */
  readonly tools: () => readonly Tool[];
  /**
   * Awaited before each turn at a safe boundary, before waiting prompts are read: tool servers that still start, and mail
   * that has arrived. Settles soon, and when `signal` aborts.
   */
  readonly ready?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Awaited before a call that may change files. */
  readonly beforeChange?: ExecuteCallsOptions["beforeChange"];
  readonly conversation: Conversation;
  readonly permissions: Permissions;
  readonly contextFor: ExecuteCallsOptions["contextFor"];
  readonly saveOutput: ExecuteCallsOptions["saveOutput"];
  readonly hooks?: AgentHooks | undefined;
  readonly secrets?: ExecuteCallsOptions["secrets"];
  /** When older turns are summarised: at this number of tokens, else at this fraction of the context window. */
  readonly compaction?:
    | {
        readonly atTokens?: number | undefined;
        readonly atFraction?: number | undefined;
        /** The texts that no summary may lose. */
        readonly keep?: KeepContext | undefined;
      }
    | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly createId: CreateId;
}

export interface RunAgentOptions extends LoopOptions {
  readonly session: SessionId;
  readonly sink: EventSink;
  /** The sequence number of the last event in the log. */
  readonly seq: number;
}

/** Why the run ended. */
export interface RunOutcome {
  readonly reason: "completed" | "interrupted" | "failed" | "limit";
  readonly detail?: string;
  readonly turns: number;
}

/**
 * Runs an agent until it has nothing left to do. It reads prompts at a safe boundary, asks the model and runs its
 * calls. It ends when the model stops, a limit is reached or `signal` aborts. Every event is yielded after it is
 * stored. The log can be resumed at any moment.
 */
export async function* runAgent(options: RunAgentOptions): AsyncGenerator<Envelope, RunOutcome> {
  const queue = createQueue<Envelope>();
  const abandoned = new AbortController();
  const signal = AbortSignal.any([options.signal, abandoned.signal]);
  const recorder = createRecorder({ ...options, agent: options.agent.id, emit: queue.push });
  const run = runLoop({ ...options, signal }, recorder);
  const ended = run.then(queue.end, queue.end);
  try {
    yield* queue;
    return await run;
  } finally {
    abandoned.abort(new Error("the caller has stopped reading this run"));
    await ended;
  }
}

const defaultCompactAt = 0.85;

/** Like `runAgent`, but with the caller's recorder, for an agent that receives prompts while it runs. */
export async function runLoop(options: LoopOptions, recorder: Recorder): Promise<RunOutcome> {
  const { signal } = options;
  const over = new AbortController();
  const late = abortShortlyAfter(signal, { clock: options.clock, over: over.signal });
  // After an interrupt, the agent's last events wait for disk space only briefly.
  const record: Recorder["record"] = (event, until = late) => recorder.record(event, until);
  try {
    await closeOpenCalls(options.conversation, (event) => record(event, signal));
    return await loop(options, { ...recorder, record });
  } catch (error) {
    if (!signal.aborted || !isDiskFull(error)) throw error;
    const detail = "the disk is full";
    await record({ type: "agent.idle", reason: "interrupted", detail }).catch((cause: unknown) => {
      if (!isDiskFull(cause)) throw cause;
    });
    return { reason: "interrupted", detail, turns: 0 };
  } finally {
    over.abort();
  }
}

async function loop(options: LoopOptions, recorder: Recorder): Promise<RunOutcome> {
  const { conversation, signal, spent = { turns: 0 } } = options;
  let turns = 0;
  let timesSentBack = 0;
  let compactedForOverflow = false;
  let wasEmpty = false;

  const stop = async (as: RunOutcome["reason"], words?: string): Promise<RunOutcome> => {
    const verdict = as === "interrupted" ? watchdogAbortReason(signal) : undefined;
    const reason = verdict === undefined ? as : "failed";
    const detail = verdict ?? words;
    await recorder.record({ type: "agent.idle", reason, ...(detail !== undefined && { detail }) });
    return { reason, turns, ...(detail !== undefined && { detail }) };
  };

  for (;;) {
    await options.ready?.(signal);
    const heard = conversation.hasReason || conversation.awaitsAnswer ? conversation.waiting : [];
    for (const promptId of heard) {
      await recorder.record({ type: "prompt.promoted", promptId }, signal);
    }
    if (!conversation.awaitsAnswer) return stop("completed");
    if (signal.aborted) return stop("interrupted");
    if (options.maxTurns !== undefined && spent.turns >= options.maxTurns) {
      return stop("limit", `reached the limit of ${options.maxTurns} turn${options.maxTurns === 1 ? "" : "s"}`);
    }

    const client = options.model();
    if (isNearLimit(options, client)) {
      const compacted = await compactNow(options, { recorder, trigger: "limit" });
      if (compacted.type === "failed" && compacted.aborted) return stop("interrupted");
      if (compacted.type === "failed") {
        await recorder.record({
          type: "notice.raised",
          level: "warning",
          code: "compaction_failed",
          message: `cannot shorten the conversation: ${compacted.message}`,
        });
      }
    }

    const turn = conversation.turn + 1;
    turns += 1;
    spent.turns += 1;
    await recorder.record({ type: "turn.started", turn, model: client.ref }, signal);
    const started = options.clock.monotonic();
    const begins = frame(options, client);
    const messages = conversation.messages();
    const asked = await askModel({
      ...options,
      client,
      recorder,
      maxPromptTokens: maxTokens(conversation, begins),
      request: {
        ...begins,
        messages,
        caller: { agentPath: options.agent.path, agentType: options.agent.type, turn, purpose: "answer" },
      },
    });

    if (asked.type === "no_budget") {
      return stop("limit", options.ledger.usedUp());
    }
    if (asked.type === "failed") {
      await recorder.record({ type: "turn.failed", turn, failure: asked.failure });
      if (asked.failure.kind === "aborted") return stop("interrupted");
      if (asked.failure.kind === "context_overflow" && !compactedForOverflow) {
        compactedForOverflow = true;
        const compacted = await compactNow(options, { recorder, trigger: "overflow" });
        if (compacted.type === "compacted") continue;
        if (compacted.type === "failed" && compacted.aborted) return stop("interrupted");
      }
      return stop("failed", asked.failure.message);
    }

    compactedForOverflow = false;
    const { stopReason, usage } = asked.answer;
    const parts = withUniqueCallIds(asked.answer.parts, options);
    await recorder.record(
      {
        type: "turn.ended",
        turn,
        parts,
        stopReason,
        contextTokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens,
        durationMs: Math.max(0, Math.round(options.clock.monotonic() - started)),
      },
      signal,
    );

    const calls = parts.filter((part) => part.type === "tool_call");
    if (calls.length === 0) {
      if (conversation.hasReason) continue;
      if (!wasEmpty && isEmptyAfterResults(asked.answer, messages)) {
        wasEmpty = true;
        await admitNotice(emptyAnswer, { ...options, recorder });
        continue;
      }
      if (await sendBackToWork({ ...options, parts, times: timesSentBack, recorder })) {
        timesSentBack += 1;
        continue;
      }
      if (signal.aborted) return stop("interrupted");
      return stop("completed", endDetail(stopReason, parts));
    }
    wasEmpty = false;
    if (stopReason === "max_tokens") await rejectTruncatedCalls(calls, recorder);
    else await executeCalls({ ...options, calls, turn, tools: byName(options.tools()), recorder });
    const stopped = options.hooks?.takeStop() ?? options.permissions.takeEnd?.();
    if (signal.aborted) return stop("interrupted");
    if (stopped !== undefined) return stop("completed", stopped);
  }
}

/** Models sometimes end with nothing right after the results of calls. That is seldom the end of the work. */
const isEmptyAfterResults = ({ parts, stopReason }: ModelAnswer, messages: readonly Message[]): boolean =>
  stopReason === "end_turn" &&
  !parts.some((part) => part.type === "text" && part.text.trim() !== "") &&
  (messages.at(-1)?.parts.some((part) => part.type === "tool_result") ?? false);

async function admitNotice(
  text: string,
  { recorder, createId, signal }: Pick<LoopOptions, "createId" | "signal"> & { readonly recorder: Recorder },
): Promise<void> {
  const parts = [{ type: "text" as const, text }];
  await recorder.record(
    { type: "prompt.admitted", promptId: createId<PromptId>("prm"), source: "agent", parts },
    signal,
  );
}

const byName = (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.name, tool]));

/** The beginning of every request of this agent, identical byte for byte. */
function frame(options: LoopOptions, client: ModelClient): Omit<ModelRequest, "messages" | "caller"> {
  return {
    system: options.conversation.system,
    tools: toolSpecs(options.tools()),
    maxOutputTokens: client.maxOutputTokens,
    ...(options.thinking && { thinking: options.thinking() }),
  };
}

const isNearLimit = (options: LoopOptions, client: ModelClient): boolean =>
  estimateTokens(options.conversation) >= limitOf(options, client) && options.conversation.turns().length > 1;

/** The size in tokens at which the conversation is compacted. */
function limitOf({ compaction }: LoopOptions, client: ModelClient): number {
  const room = client.contextWindow - client.maxOutputTokens;
  const { atTokens, atFraction = defaultCompactAt } = compaction ?? {};
  return atTokens ?? Math.max(room, client.contextWindow / 2) * atFraction;
}

/** Compacts the conversation now; `/compact` also calls this. */
export async function compactNow(
  options: LoopOptions,
  how: { recorder: Recorder; trigger: "limit" | "overflow" | "asked"; instructions?: string | undefined },
): Promise<CompactResult> {
  const blocked = await options.hooks?.beforeCompaction({ instructions: undefined, ...how }, options.signal);
  if (blocked !== undefined) return { type: "failed", message: blocked, aborted: options.signal.aborted };
  const client = options.model();
  const { path, type } = options.agent;
  return compact({
    ...options,
    ...how,
    client,
    keep: options.compaction?.keep,
    limit: limitOf(options, client),
    request: frame(options, client),
    caller: { agentPath: path, agentType: type, turn: options.conversation.turn },
  });
}

/**
 * Drops blank text, which providers refuse. Replaces a call id that was used before, because it would tie two results
 * to one call.
 */
function withUniqueCallIds(parts: readonly AnswerPart[], { conversation, createId }: LoopOptions): AnswerPart[] {
  const ids = new Set<CallId>();
  return parts.flatMap((part): AnswerPart[] => {
    if (part.type === "text" && part.text.trim() === "") return [];
    if (part.type !== "tool_call") return [part];
    const taken = ids.has(part.callId) || conversation.mayHaveCall(part.callId);
    const callId = taken ? createId<CallId>("call") : part.callId;
    ids.add(callId);
    return [{ ...part, callId }];
  });
}

async function rejectTruncatedCalls(calls: readonly ToolCallPart[], recorder: Recorder): Promise<void> {
  for (const { callId } of calls) {
    const content = [{ type: "text" as const, text: truncatedCall }];
    await recorder.record({ type: "tool.settled", callId, durationMs: 0, outcome: "failed", content });
  }
}

function endDetail(stopReason: StopReason, parts: readonly AnswerPart[]): string | undefined {
  if (stopReason === "max_tokens") return "the answer reached the model's output limit and is incomplete";
  if (stopReason === "refusal") return "the model declined to answer";
  if (!parts.some((part) => part.type === "text")) return "the model ended its turn without text";
  return undefined;
}
