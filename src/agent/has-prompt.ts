import type { PromptId } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";
import type { EventSink } from "./event-sink.ts";

export interface PromptLookup {
  readonly conversation: Pick<Conversation, "seenPrompt">;
  readonly sink: Pick<EventSink, "holds">;
}

/**
 * True if a prompt was ever admitted, however long ago. It rarely reads the log: only for a prompt that comes very
 * late.
 */
export function hasPrompt(id: PromptId, { conversation, sink }: PromptLookup): boolean | Promise<boolean> {
  const seen = conversation.seenPrompt(id);
  if (seen !== "maybe") return seen === "yes";
  return sink.holds(id, (event) => event.type === "prompt.admitted" && event.promptId === id);
}
