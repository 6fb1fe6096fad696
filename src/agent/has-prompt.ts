import type { PromptId } from "../protocol/index.ts";
import type { Conversation } from "./conversation.ts";
import type { EventSink } from "./event-sink.ts";

export interface PromptLookup {
  readonly conversation: Pick<Conversation, "seenPrompt">;
  readonly sink: Pick<EventSink, "holds">;
}

/** Whether a prompt was ever admitted, however long ago. Its log is read for one that comes very late, and hardly ever else. */
export function hasPrompt(id: PromptId, { conversation, sink }: PromptLookup): boolean | Promise<boolean> {
  const seen = conversation.seenPrompt(id);
  if (seen !== "maybe") return seen === "yes";
  return sink.holds(id, (event) => event.type === "prompt.admitted" && event.promptId === id);
}
