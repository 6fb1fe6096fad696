import type { Agent } from "../../agent/index.ts";
import type { ContentPart, Event, PromptId } from "../../protocol/index.ts";
import type { PromptSender } from "./subagent.ts";

/** The messages that a subagent gets during a run. */
export interface SubagentMessages {
  observe(event: Event): void;
  /** Resolves when the message is on disk. */
  send(agent: Agent, by: PromptSender, parts: readonly ContentPart[]): Promise<void>;
  readonly areBeingSent: boolean;
  /** Resolves when the messages that are being sent now are on disk. */
  sent(): Promise<unknown>;
  /** Leaves out a prompt that started a run. */
  ignore(prompt: PromptId): void;
  /** The number of messages that no answer covers yet. */
  unanswered(): number;
}

export function createSubagentMessages(): SubagentMessages {
  const pending = new Set<Promise<void>>();
  const unanswered = new Map<PromptId, "waiting" | "promoted">();
  return {
    observe(event) {
      if (event.type === "prompt.admitted" && (event.source === "agent" || event.source === "user"))
        unanswered.set(event.promptId, "waiting");
      if (event.type === "prompt.promoted" && unanswered.has(event.promptId))
        unanswered.set(event.promptId, "promoted");
      if (event.type === "turn.ended")
        for (const [promptId, state] of unanswered) if (state === "promoted") unanswered.delete(promptId);
    },
    async send(agent, by, parts) {
      const admitted = agent.admit(by, parts).then(() => agent.wake());
      pending.add(admitted);
      await admitted.finally(() => pending.delete(admitted));
    },
    get areBeingSent() {
      return pending.size > 0;
    },
    sent: () => Promise.all(pending),
    ignore: (prompt) => void unanswered.delete(prompt),
    unanswered: () => unanswered.size,
  };
}
