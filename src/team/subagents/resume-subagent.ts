import type { ContentPart } from "../../protocol/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import type { Subagent, PromptSender } from "./subagent.ts";
import type { SubagentRegistry } from "./subagent-registry.ts";
import { moveToBackground, type BackgroundRun } from "./move-to-background.ts";

export interface MessageToSubagent {
  readonly parts: readonly ContentPart[];
  readonly by: PromptSender;
  readonly description: string;
}

export interface ResumeSubagentPorts {
  readonly subagents: SubagentRegistry;
  /** Whose background task a finished agent becomes: that one is told of its end. */
  readonly background: ToolContext["background"];
  readonly signal: AbortSignal;
}

/**
 * Says something to an agent, whatever it is doing: at work, it hears it between two turns; finished, it goes on from
 * where it was, in the background. What was said is on disk when this resolves. Rejects with a TroupeError that a model
 * can read if it cannot go on.
 */
export async function resumeSubagent(
  subagent: Subagent,
  { parts, by, description }: MessageToSubagent,
  { subagents, background, signal }: ResumeSubagentPorts,
): Promise<BackgroundRun | "heard"> {
  for (;;) {
    if (await subagent.sendMessage(parts, by)) return "heard";
    await subagent.whenIdle();
    await subagent.wake();
    const slot = await subagents.acquireSlot(subagent, signal);
    // Somebody else may have spoken first.
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
