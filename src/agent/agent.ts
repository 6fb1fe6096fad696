import { setMaxListeners } from "node:events";
import {
  type AgentPath,
  type ContentPart,
  type Envelope,
  type LiveEvent,
  type PromptId,
  type StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import { abortedByWatchdog } from "./watchdog-abort.ts";
import { hasPrompt } from "./has-prompt.ts";
import { createRecorder } from "./recorder.ts";
import { compactNow, type RunAgentOptions, type RunOutcome, runLoop } from "./run-agent.ts";
import { closeOpenCalls } from "./close-open-calls.ts";

export interface AgentOptions extends Omit<RunAgentOptions, "signal" | "spent"> {
  /** Told everything that happens, in order, after it is stored. Must not throw. */
  readonly publish: (envelope: Envelope) => void;
}

export type PromptSource = Extract<StoredEvent, { type: "prompt.admitted" }>["source"];

export interface IdempotentPrompt {
  readonly promptId: PromptId;
  readonly source: PromptSource;
  readonly parts: readonly ContentPart[];
  /** Heard when the agent works next; no reason to work. */
  readonly quiet?: boolean | undefined;
  /** One that waits, and is not to be said any more. */
  readonly insteadOf?: PromptId | undefined;
}

/** One agent over its whole life: says, wakes, interrupts. Its state is its log; this only drives it. */
export interface Agent {
  readonly path: AgentPath;
  readonly running: boolean;
  /**
   * Resolves when the prompt is on disk. It is put into the conversation at the next safe boundary. For a user's the turns
   * are counted anew; once the agent is closed a user's is refused.
   */
  admit(source: PromptSource, parts: readonly ContentPart[]): Promise<PromptId>;
  /** The same for something that must be said exactly once, however often it is tried: nothing happens the second time. */
  admitOnce(prompt: IdempotentPrompt): Promise<void>;
  /** Whether it was ever said under this id, however long ago. */
  hasPrompt(id: PromptId): Promise<boolean>;
  /** Whether something like this is in its log; `id` is an id that is in it. Reads all of it. */
  hasRecorded(id: string, is: (event: StoredEvent) => boolean): Promise<boolean>;
  /** Resolves when all that is in its log survives a power cut too. */
  saved(): Promise<void>;
  /** Starts a run if there is something to do and none is under way. Wakes during a run are not lost. */
  wake(): void;
  /** The same at somebody's word: turns are counted anew, and a hold ends. */
  resume(): void;
  /**
   * Stops the turn under way and nothing else; resolves when it has stopped. Whoever wakes the agent after this is heard
   * once it has; with `hold` nobody is until `resume`. With a `verdict` it has not been stopped: it has failed, and that is why.
   */
  interrupt(options?: { readonly hold: boolean; readonly verdict?: string | undefined }): Promise<void>;
  /** Stops what runs, for good: nothing starts from now on. What is still to be put down in its log can be. */
  close(): Promise<void>;
  compact(instructions?: string): Promise<{ ok: boolean; message?: string }>;
  record(event: StoredEvent): Promise<void>;
  live(event: LiveEvent): void;
  /** Something that belongs to it went wrong beside its runs: it counts as broken, and `settled` rejects with it. */
  fail(failure: unknown): Promise<void>;
  /** Resolves with the last run's outcome when no run is under way. Rejects if the agent itself broke. */
  settled(): Promise<RunOutcome | undefined>;
  /** Gives a result to every call that an earlier process left without one. */
  closeOpenCalls(): Promise<number>;
}

export function createAgent(options: AgentOptions): Agent {
  const { conversation } = options;
  const recorder = createRecorder({ ...options, agent: options.agent.id, emit: options.publish });
  let current: { abort: AbortController; ended: Promise<void> } | undefined;
  /** Somebody woke it during the run under way, and after the last interrupt. */
  let woken = false;
  let state: "open" | "held" | "closed" = "open";
  const spent = { turns: 0 };
  const admitting = new Set<PromptId>();
  let last: RunOutcome | undefined;
  let broken: { error: unknown } | undefined;

  const fail = async (failure: unknown) => {
    broken ??= { error: failure };
    const detail = failure instanceof Error ? failure.message : String(failure);
    try {
      await recorder.record({ type: "agent.stopped", outcome: "failed", detail }, AbortSignal.timeout(2_000));
    } catch (error) {
      broken = { error: new AggregateError([failure, error], `${detail}; and it could not be recorded`) };
    }
  };

  const drive = async (abort: AbortController) => {
    let outcome: RunOutcome | undefined;
    try {
      outcome = await runLoop({ ...options, spent, signal: abort.signal }, recorder);
      last = outcome;
    } catch (error) {
      broken = { error };
      const detail = error instanceof Error ? error.message : String(error);
      await recorder
        .record({ type: "agent.stopped", outcome: "failed", detail }, AbortSignal.timeout(2_000))
        .catch((cause: unknown) => {
          broken = { error: new AggregateError([error, cause], `${detail}; and it could not be recorded`) };
        });
    } finally {
      const canContinue = outcome?.reason === "completed" || outcome?.reason === "interrupted";
      // At its limit only a user's prompt that came since then counts.
      end(canContinue || (outcome?.reason === "limit" && spent.turns === 0));
    }
  };

  const start = () => {
    woken = false;
    const abort = new AbortController();
    // Every call of an answer listens, and an answer may have dozens.
    setMaxListeners(0, abort.signal);
    const ended = drive(abort);
    current = { abort, ended };
  };

  /** No moment between a run and the next looks like rest. */
  const end = (mayContinue: boolean) => {
    current = undefined;
    const continues = woken && mayContinue && !broken;
    woken = false;
    if (continues) start();
  };

  const wake = () => {
    if (broken || state !== "open") return;
    if (current) woken = true;
    else start();
  };

  const interrupt = async (verdict?: string) => {
    woken = false;
    const run = current;
    run?.abort.abort(
      verdict === undefined ? new DOMException("interrupted by the user", "AbortError") : abortedByWatchdog(verdict),
    );
    await run?.ended;
  };

  return {
    path: options.agent.path,
    get running() {
      return current !== undefined;
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
    async compact(instructions) {
      if (state === "closed") return { ok: false, message: closedMessage };
      if (current) return { ok: false, message: "the agent is at work: interrupt it first, or wait until it is idle" };
      const abort = new AbortController();
      const work = compactNow({ ...options, signal: abort.signal }, { recorder, trigger: "asked", instructions });
      current = {
        abort,
        ended: work.then(
          () => undefined,
          () => undefined,
        ),
      };
      try {
        const result = await work;
        if (result.type === "failed") return { ok: false, message: result.message };
        if (result.type === "nothing_to_compact") return { ok: false, message: "there is nothing to compact yet" };
        return { ok: true };
      } finally {
        end(true);
      }
    },
    record: (event) => recorder.record(event),
    live: recorder.live,
    fail,
    async settled() {
      for (let run = current; run; run = current) await run.ended;
      if (broken) throw broken.error;
      return last;
    },
    closeOpenCalls: () => closeOpenCalls(conversation, recorder.record),
  };
}

const closedMessage = "the session is closed: open it again with --resume";
