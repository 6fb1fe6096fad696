import type { Agent, Conversation } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type { Event, WatchdogSettings } from "../../protocol/index.ts";
import { createRepetitionDetector } from "../watchdog/repetition-detector.ts";
import { createStallWatchdog, waitForStall } from "../watchdog/stall-watchdog.ts";

/** Aborts a teammate's run, in its own process, if it shows no sign of life or repeats itself. It stays a member. */
export interface TeammateWatchdog {
  /** Receives all events of the agent, live events included, in order. */
  observe(event: Event): void;
  start(): void;
  close(): Promise<void>;
}

export interface TeammateWatchdogOptions {
  readonly agent: Agent;
  readonly conversation: Pick<Conversation, "hasReason">;
  readonly settings: WatchdogSettings | undefined;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

export function createTeammateWatchdog(options: TeammateWatchdogOptions): TeammateWatchdog {
  const { agent, clock, settings, onFailure } = options;
  const closeController = new AbortController();
  const watchdog = createStallWatchdog({ clock, settings, mayBeSilent: (tool) => tool === "Agent" });
  const repetition = createRepetitionDetector();
  let watching: Promise<void> = Promise.resolve();
  // The teammate becomes idle and is woken many times. The watch starts with its first activity.
  watchdog.observe({ type: "agent.idle", reason: "completed" });

  /** The lead gets this as a failure. The agent still handles messages that came in the meantime. */
  const abort = async (verdict: string) => {
    await agent.interrupt({ hold: false, verdict });
    if (!closeController.signal.aborted && options.conversation.hasReason) agent.wake();
  };

  const watch = async () => {
    for (;;) {
      const verdict = await waitForStall(watchdog, clock, closeController.signal);
      await abort(verdict.message);
      // A run that ended has sent its own idle event, unless there was none.
      watchdog.observe({ type: "agent.idle", reason: "failed" });
    }
  };

  return {
    observe(event) {
      watchdog.observe(event);
      const repeated = repetition.observe(event);
      if (repeated?.kind === "warning")
        agent.admit("hook", [{ type: "text", text: repeated.message }]).catch(onFailure);
      if (repeated?.kind === "verdict") abort(repeated.message).catch(onFailure);
    },
    start() {
      watching = watch().catch((error: unknown) => {
        if (!closeController.signal.aborted) onFailure(error);
      });
    },
    async close() {
      closeController.abort(new DOMException("the member has left", "AbortError"));
      await watching;
    },
  };
}
