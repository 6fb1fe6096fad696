import type { ContentPart } from "../../protocol/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import type { Subagent, PromptSender } from "./subagent.ts";
import type { SubagentRegistry } from "./subagent-registry.ts";
import { moveToBackground } from "./move-to-background.ts";
import type { LaunchedAgent } from "../../agent/index.ts";

export interface MessageToSubagent {
  readonly parts: readonly ContentPart[];
  readonly by: PromptSender;
  readonly description: string;
}

export interface ResumeSubagentPorts {
  readonly subagents: SubagentRegistry;
  /** The background jobs of the agent that is notified when the resumed agent ends. */
  readonly background: ToolContext["background"];
  readonly signal: AbortSignal;
}

/**
 * Sends a message to an agent. A running agent reads it between two turns; a finished one is resumed in the background.
 * The message is on disk when this resolves. Rejects with a TroupeError that a model can read if the agent cannot be
 * resumed.
 */
export async function resumeSubagent(
  subagent: Subagent,
  { parts, by, description }: MessageToSubagent,
  { subagents, background, signal }: ResumeSubagentPorts,
): Promise<LaunchedAgent | "heard"> {
  for (;;) {
    if (await subagent.sendMessage(parts, by)) return "heard";
    await subagent.whenIdle();
    await subagent.wake();
    const slot = await subagents.acquireSlot(subagent, signal);
    // Another sender may have been first.
    if (!subagent.isIdle) {
      slot.release();
      continue;
    }
    const run = subagent.run(parts, slot, by);
    const prompt = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    const backgroundRun = await moveToBackground({ background }, { subagent, run, description, prompt });
    await run.delivered;
    return backgroundRun;
  }
}
