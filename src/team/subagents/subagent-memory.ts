import type { SubagentDefaults, SubagentOptions } from "./subagent.ts";
import { createActivation, type SubagentActivation } from "./subagent-activation.ts";
import type { OpenedRuntime, SubagentRuntime } from "./subagent-runtime.ts";

/** The runtime of a subagent while it is in memory. An idle agent can be evicted and opened again from its log. */
export interface SubagentMemory {
  /** Undefined while the agent is evicted. */
  readonly active: SubagentActivation | undefined;
  readonly finishWorktree: OpenedRuntime["finishWorktree"];
  /** Rejects with a TroupeError if its log cannot be opened. */
  wake(): Promise<SubagentActivation>;
  /** Resolves when a wake in progress has ended. Its caller reports a failure. */
  wakeEnded(): Promise<void>;
  /** Closes the runtime when its work has ended, unless the agent is resumed in the meantime. */
  evict(): void;
  close(): Promise<void>;
}

export interface SubagentMemoryOptions
  extends Pick<SubagentOptions, "reopen">,
    Pick<SubagentDefaults, "sideQuestions"> {
  readonly isIdle: () => boolean;
  /** Resolves when nothing uses the runtime any more. */
  readonly unused: () => Promise<unknown>;
  readonly onEvicted: () => void;
}

/** All state of the first runtime is in the activation, so that eviction frees it. */
export function createSubagentMemory(
  { runtime: firstRuntime, finishWorktree: finishFirstWorktree }: OpenedRuntime,
  options: SubagentMemoryOptions,
): SubagentMemory {
  const activate = (runtime: SubagentRuntime) =>
    createActivation(runtime, { history: options.sideQuestions?.history ?? false });
  let active: SubagentActivation | undefined = activate(firstRuntime);
  let finishWorktree = finishFirstWorktree;
  let waking: Promise<SubagentActivation> | undefined;
  let evicting: Promise<void> = Promise.resolve();

  const reopen = async (): Promise<SubagentActivation> => {
    await evicting;
    const reopened = await options.reopen();
    finishWorktree = reopened.finishWorktree;
    const activation = (active = activate(reopened.runtime));
    await reopened.runtime.resume();
    return activation;
  };

  const evict = async (evicted: SubagentActivation) => {
    await options.unused();
    await evicted.runtime.settled();
    if (active !== evicted || !options.isIdle()) return;
    active = undefined;
    options.onEvicted();
    await evicted.runtime.close();
  };

  return {
    get active() {
      return active;
    },
    get finishWorktree() {
      return finishWorktree;
    },
    async wake() {
      if (active) return active;
      waking ??= reopen().finally(() => {
        waking = undefined;
      });
      return waking;
    },
    wakeEnded: async () => void (await waking?.catch(() => undefined)),
    evict() {
      if (!active || !options.isIdle()) return;
      evicting = evict(active);
      // The next resume or close reports a failure.
      evicting.catch(() => undefined);
    },
    async close() {
      const last = active;
      active = undefined;
      await last?.runtime.close();
      await evicting;
    },
  };
}
