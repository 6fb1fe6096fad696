import type { ContentPart } from "../protocol/index.ts";
import type { ToolContext } from "../tool/index.ts";
import type { Child, Speaker } from "./child.ts";
import type { Children } from "./children.ts";
import { keepInBackground, type Kept } from "./keep-in-background.ts";

export interface Sending {
  readonly parts: readonly ContentPart[];
  readonly by: Speaker;
  readonly description: string;
}

export interface SendingPorts {
  readonly children: Children;
  /** Whose background task a finished agent becomes: that one is told of its end. */
  readonly background: ToolContext["background"];
  readonly signal: AbortSignal;
}

/**
 * Says something to an agent, whatever it is doing: at work, it hears it between two turns; finished, it goes on from
 * where it was, in the background. What was said is on disk when this resolves. Rejects with a TroupeError that a model
 * can read if it cannot go on.
 */
export async function sendOn(
  child: Child,
  { parts, by, description }: Sending,
  { children, background, signal }: SendingPorts,
): Promise<Kept | "heard"> {
  for (;;) {
    if (await child.tell(parts, by)) return "heard";
    await child.rested();
    await child.wake();
    const slot = await children.acquireSlot(child, signal);
    // Somebody else may have spoken first.
    if (!child.resting) {
      slot.release();
      continue;
    }
    const run = child.run(parts, slot, by);
    const prompt = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    const kept = await keepInBackground({ background }, { child, run, description, prompt });
    await run.heard;
    return kept;
  }
}
