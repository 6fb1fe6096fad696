import { withTimeLimit } from "../platform/index.ts";
import {
  type AgentPath,
  type ContentPart,
  type Envelope,
  type LiveEvent,
  messageOf,
  type PromptId,
  type StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import { abortedByWatchdog } from "./watchdog-abort.ts";
import { createAgentRuns } from "./agent-runs.ts";
import { hasPrompt } from "./has-prompt.ts";
import { createRecorder } from "./recorder.ts";
import { compactNow, type RunAgentOptions, type RunOutcome, runLoop } from "./run-agent.ts";
import { closeOpenCalls } from "./close-open-calls.ts";

export interface AgentOptions extends Omit<RunAgentOptions, "signal" | "spent"> {
  /** Receives every event in order, after it is stored. Must not throw. */
  readonly publish: (envelope: Envelope) => void;
}

export type PromptSource = Extract<StoredEvent, { type: "prompt.admitted" }>["source"];

export interface IdempotentPrompt {
  readonly promptId: PromptId;
  readonly source: PromptSource;
  readonly parts: readonly ContentPart[];
  /** The agent reads it in its next run; it does not start one. */
  readonly quiet?: boolean | undefined;
  /** A waiting prompt that this one replaces. */
  readonly insteadOf?: PromptId | undefined;
}

/** The log of one agent. */
export interface AgentLog {
  record(event: StoredEvent): Promise<void>;
  live(event: LiveEvent): void;
  /** True if a prompt with this id was ever admitted. */
  hasPrompt(id: PromptId): Promise<boolean>;
  /** True if the log has a matching event. `id` is an id that the event contains. Reads the whole log. */
  hasRecorded(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when the whole log survives a power failure. */
  saved(): Promise<void>;
}

/** Drives one agent: admits prompts, wakes and interrupts it. The agent's state is its log. */
export interface Agent extends AgentLog {
  readonly path: AgentPath;
  readonly running: boolean;
  /**
   * Resolves when the prompt is on disk. The prompt joins the conversation at the next safe boundary. A user's prompt
   * resets the turn count; a closed agent refuses it.
   */
  admit(source: PromptSource, parts: readonly ContentPart[]): Promise<PromptId>;
  /** Like `admit`, but does nothing if a prompt with this id was admitted before. */
  admitOnce(prompt: IdempotentPrompt): Promise<void>;
  /** Starts a run if there is work and no run is in progress. A wake during a run is not lost. */
  wake(): void;
  /** Like `wake`, but on request: resets the turn count and ends a hold. */
  resume(): void;
  /**
   * Stops only the current turn and resolves when it has stopped. A later wake takes effect after that; with `hold`,
   * only `resume` does. With a `verdict`, the run counts as failed for that reason, not as interrupted.
   */
  interrupt(options?: { readonly hold: boolean; readonly verdict?: string | undefined }): Promise<void>;
  /** Stops the current run for good and starts no other. Events can still be recorded. */
  close(): Promise<void>;
  /** Interrupts the current run and does this work while no run is in progress. A wake takes effect after it. */
  whileIdle<T>(work: () => Promise<T>): Promise<T>;
  compact(instructions?: string): Promise<{ ok: boolean; message?: string }>;
  /** Marks the agent as broken by a failure outside its runs. `settled` then rejects with it. */
  fail(failure: unknown): Promise<void>;
  /** Resolves with the last run's outcome when no run is in progress. Rejects if the agent is broken. */
  settled(): Promise<RunOutcome | undefined>;
  /** Records a result for every call that an earlier process left without one. */
  closeOpenCalls(): Promise<number>;
}

export function createAgent(options: AgentOptions): Agent {
  const { conversation } = options;
  const recorder = createRecorder({ ...options, agent: options.agent.id, emit: options.publish });
  let state: "open" | "held" | "closed" = "open";
  const spent = { turns: 0 };
  const admitting = new Set<PromptId>();
  let last: RunOutcome | undefined;
  let broken: { error: unknown } | undefined;

  const fail = async (failure: unknown) => {
    broken ??= { error: failure };
    runs.forgetWake();
    const detail = messageOf(failure);
    try {
      await withTimeLimit(options.clock, failedWithinMs, (late) =>
        recorder.record({ type: "agent.stopped", outcome: "failed", detail }, late),
      );
    } catch (error) {
      broken = { error: new AggregateError([failure, error], `${detail}; recording this failure also failed`) };
    }
  };

  const runs = createAgentRuns({
    async run(signal) {
      try {
        last = await runLoop({ ...options, spent, signal }, recorder);
      } catch (error) {
        broken = { error };
        await fail(error);
      }
    },
    // After a limit, only a user's prompt that came since then continues the agent.
    mayRunAgain: () => (last?.reason === "limit" ? spent.turns === 0 : last?.reason !== "failed"),
  });

  const wake = () => {
    if (!broken && state === "open") runs.wake();
  };

  const interrupt = (verdict?: string) =>
    runs.interrupt(
      verdict === undefined ? new DOMException("interrupted by the user", "AbortError") : abortedByWatchdog(verdict),
    );

  return {
    path: options.agent.path,
    get running() {
      return runs.running;
    },
    async admit(source, parts) {
      if (source === "user") {
        if (state === "closed") throw new TroupeError("session_closed", closedMessage);
        spent.turns = 0;
      }
      const promptId = options.createId<PromptId>("prm");
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
      return promptId;
    },
    async admitOnce({ promptId, source, parts, quiet = false, insteadOf }) {
      if (admitting.has(promptId)) return;
      admitting.add(promptId);
      const more = { ...(quiet && { quiet }), ...(insteadOf !== undefined && { insteadOf }) };
      try {
        const known = hasPrompt(promptId, options);
        if (known === true || (known !== false && (await known))) return;
        await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts], ...more });
      } finally {
        admitting.delete(promptId);
      }
    },
    hasPrompt: async (id) => hasPrompt(id, options),
    hasRecorded: (id, is) => options.sink.holds(id, is),
    saved: () => options.sink.sync(),
    wake,
    resume() {
      if (state === "held") state = "open";
      spent.turns = 0;
      wake();
    },
    async interrupt({ hold, verdict } = { hold: false }) {
      if (hold && state === "open") state = "held";
      await interrupt(verdict);
    },
    async close() {
      state = "closed";
      recorder.leave();
      await interrupt();
    },
    async whileIdle(work) {
      while (runs.running) await interrupt();
      return runs.doWork(work);
    },
    async compact(instructions) {
      if (state === "closed") return { ok: false, message: closedMessage };
      if (runs.running)
        return { ok: false, message: "the agent is working: interrupt it first, or wait until it is idle" };
      const result = await runs.doWork((signal) =>
        compactNow({ ...options, signal }, { recorder, trigger: "asked", instructions }),
      );
      if (result.type === "failed") return { ok: false, message: result.message };
      if (result.type === "nothing_to_compact") return { ok: false, message: "there is nothing to compact yet" };
      return { ok: true };
    },
    record: (event) => recorder.record(event),
    live: recorder.live,
    fail,
    async settled() {
      await runs.ended();
      if (broken) throw broken.error;
      return last;
    },
    closeOpenCalls: () => closeOpenCalls(conversation, recorder.record),
  };
}

/** How long the record of a failure may wait for disk space. */
const failedWithinMs = 2_000;

const closedMessage = "the session is closed: open it again with --resume";
