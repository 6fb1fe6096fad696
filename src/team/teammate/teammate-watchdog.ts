import type { Agent, Conversation } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type { Event, WatchdogSettings } from "../../protocol/index.ts";
import { createRepetitionDetector } from "../watchdog/repetition-detector.ts";
import { createStallWatchdog, waitForStall } from "../watchdog/stall-watchdog.ts";

/** Watches over a teammate in its own process: one that shows no sign of life, or goes in circles, is given up. It stays a member. */
export interface TeammateWatchdog {
  /** Everything that is heard of the agent, live events too, in order. */
  observe(event: Event): void;
  start(): void;
  close(): Promise<void>;
}

export interface TeammateWatchdogOptions {
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "hasReason">;
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
  // It comes to rest and is woken many times: it is only watched from where it begins.
  watchdog.observe({ type: "agent.idle", reason: "completed" });

  /** Its lead hears of it as of any other failure; what was said to it meanwhile it still takes up. */
  const abort = async (verdict: string) => {
    await agent().interrupt({ hold: false, verdict });
    if (!closeController.signal.aborted && options.conversation().hasReason) agent().wake();
  };

  const watch = async () => {
    for (;;) {
      const verdict = await waitForStall(watchdog, clock, closeController.signal);
      await abort(verdict.message);
      // A run that has ended has said so, unless there was none.
      watchdog.observe({ type: "agent.idle", reason: "failed" });
    }
  };

  return {
    observe(event) {
      watchdog.observe(event);
      const repeated = repetition.observe(event);
      if (repeated?.kind === "warning")
        agent()
          .admit("hook", [{ type: "text", text: repeated.message }])
          .catch(onFailure);
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
