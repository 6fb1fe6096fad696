import type { Agent, Conversation } from "../agent/index.ts";
import type { Clock } from "../platform/index.ts";
import type { Event, WatchdogSettings } from "../protocol/index.ts";
import { createRepetitionWatch } from "./repetition.ts";
import { createWatchdog, keepWatch } from "./watchdog.ts";

/** Watches over a teammate in its own process: one that shows no sign of life, or goes in circles, is given up. It stays a member. */
export interface MemberWatchdog {
  /** Everything that is heard of the agent, live events too, in order. */
  hear(event: Event): void;
  start(): void;
  close(): Promise<void>;
}

export interface MemberWatchdogOptions {
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "hasReason">;
  readonly settings: WatchdogSettings | undefined;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

export function createMemberWatchdog(options: MemberWatchdogOptions): MemberWatchdog {
  const { agent, clock, settings, onFailure } = options;
  const over = new AbortController();
  const watchdog = createWatchdog({ clock, settings, isPatient: (tool) => tool === "Agent" });
  const repetition = createRepetitionWatch();
  let watching: Promise<void> = Promise.resolve();
  // It comes to rest and is woken many times: it is only watched from where it begins.
  watchdog.hear({ type: "agent.idle", reason: "completed" });

  /** Its lead hears of it as of any other failure; what was said to it meanwhile it still takes up. */
  const giveUp = async (verdict: string) => {
    await agent().interrupt({ hold: false, verdict });
    if (!over.signal.aborted && options.conversation().hasReason) agent().wake();
  };

  const watch = async () => {
    for (;;) {
      const verdict = await keepWatch(watchdog, clock, over.signal);
      await giveUp(verdict.message);
      // A run that has ended has said so, unless there was none.
      watchdog.hear({ type: "agent.idle", reason: "failed" });
    }
  };

  return {
    hear(event) {
      watchdog.hear(event);
      const repeated = repetition.hear(event);
      if (repeated?.kind === "warning")
        agent()
          .admit("hook", [{ type: "text", text: repeated.message }])
          .catch(onFailure);
      if (repeated?.kind === "verdict") giveUp(repeated.message).catch(onFailure);
    },
    start() {
      watching = watch().catch((error: unknown) => {
        if (!over.signal.aborted) onFailure(error);
      });
    },
    async close() {
      over.abort(new DOMException("the member has left", "AbortError"));
      await watching;
    },
  };
}
