import { setMaxListeners } from "node:events";
import type { AgentPath, ContentPart, Envelope, LiveEvent, PromptId, StoredEvent } from "../protocol/index.ts";
import { lostBeforeStart, unknownOutcome } from "./fragments/interrupted.ts";
import { createRecorder } from "./recorder.ts";
import { compactNow, type RunAgentOptions, type RunOutcome, runLoop } from "./run-agent.ts";

export interface AgentOptions extends Omit<RunAgentOptions, "signal"> {
  /** Told everything that happens, in order, after it is stored. Must not throw. */
  readonly publish: (envelope: Envelope) => void;
}

export type PromptSource = Extract<StoredEvent, { type: "prompt.admitted" }>["source"];

/** One agent over its whole life: says, wakes, interrupts. Its state is its log; this only drives it. */
export interface Agent {
  readonly path: AgentPath;
  readonly running: boolean;
  /** Resolves when the prompt is on disk. It is put into the conversation at the next safe boundary. */
  admit(source: PromptSource, parts: readonly ContentPart[]): Promise<PromptId>;
  /** The same for something that must be said exactly once, however often it is tried: nothing happens the second time. */
  admitOnce(promptId: PromptId, source: PromptSource, parts: readonly ContentPart[]): Promise<void>;
  /** Starts a run if there is something to do and none is under way. Wakes during a run are not lost. */
  wake(): void;
  /** Stops the turn under way and nothing else; resolves when it has stopped. */
  interrupt(): Promise<void>;
  compact(instructions?: string): Promise<{ ok: boolean; message?: string }>;
  record(event: StoredEvent): Promise<void>;
  live(event: LiveEvent): void;
  /** Resolves with the last run's outcome when no run is under way. Rejects if the agent itself broke. */
  settled(): Promise<RunOutcome | undefined>;
  /** Gives a result to every call that an earlier process left without one. */
  closeOpenCalls(): Promise<number>;
}

export function createAgent(options: AgentOptions): Agent {
  const { conversation } = options;
  const recorder = createRecorder({ ...options, agent: options.agent.id, emit: options.publish });
  let current: { abort: AbortController; ended: Promise<void> } | undefined;
  let woken = false;
  const admitting = new Set<PromptId>();
  let last: RunOutcome | undefined;
  let broken: { error: unknown } | undefined;

  const drive = async (abort: AbortController) => {
    try {
      do {
        woken = false;
        last = await runLoop({ ...options, signal: abort.signal }, recorder);
      } while (woken && last.reason === "completed");
    } catch (error) {
      broken = { error };
      const detail = error instanceof Error ? error.message : String(error);
      await recorder
        .record({ type: "agent.stopped", outcome: "failed", detail }, AbortSignal.timeout(2_000))
        .catch((cause: unknown) => {
          broken = { error: new AggregateError([error, cause], `${detail}; and it could not be recorded`) };
        });
    } finally {
      current = undefined;
    }
  };

  const start = () => {
    const abort = new AbortController();
    // Every call of an answer listens, and an answer may have dozens.
    setMaxListeners(0, abort.signal);
    const ended = drive(abort);
    current = { abort, ended };
  };

  return {
    path: options.agent.path,
    get running() {
      return current !== undefined;
    },
    async admit(source, parts) {
      const promptId = options.createId<PromptId>("prm");
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
      return promptId;
    },
    async admitOnce(promptId, source, parts) {
      if (conversation.hasPrompt(promptId) || admitting.has(promptId)) return;
      admitting.add(promptId);
      await recorder
        .record({ type: "prompt.admitted", promptId, source, parts: [...parts] })
        .finally(() => admitting.delete(promptId));
    },
    wake() {
      if (broken) return;
      woken = true;
      if (!current) start();
    },
    async interrupt() {
      current?.abort.abort(new DOMException("interrupted by the user", "AbortError"));
      await current?.ended;
    },
    async compact(instructions) {
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
        current = undefined;
        if (woken) start();
      }
    },
    record: (event) => recorder.record(event),
    live: recorder.live,
    async settled() {
      for (let run = current; run; run = current) await run.ended;
      if (broken) throw broken.error;
      return last;
    },
    async closeOpenCalls() {
      const open = conversation.openCalls();
      for (const { call, started } of open) {
        const text = started ? unknownOutcome : lostBeforeStart;
        await recorder.record({
          type: "tool.settled",
          callId: call.callId,
          durationMs: 0,
          outcome: "interrupted",
          content: [{ type: "text", text }],
        });
      }
      return open.length;
    },
  };
}
