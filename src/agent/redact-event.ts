import { redactSecrets } from "../platform/index.ts";
import type { StoredEvent } from "../protocol/index.ts";

/**
 * Removes apparent secrets from program output before it is stored and before a model reads it: both must see the same
 * text. Results of calls are already redacted. Text from a person or a model stays unchanged: it was written on
 * purpose, and its bytes are part of every later request.
 */
export function redactEvent(event: StoredEvent): StoredEvent {
  switch (event.type) {
    case "agent.summarized":
      return { ...event, text: redactSecrets(event.text) };
    case "notice.raised":
      return { ...event, message: redactSecrets(event.message) };
    case "turn.failed":
      return { ...event, failure: { ...event.failure, message: redactSecrets(event.failure.message) } };
    case "agent.idle":
    case "agent.stopped":
      return event.detail === undefined ? event : { ...event, detail: redactSecrets(event.detail) };
    case "hook.ran":
      return {
        ...event,
        command: redactSecrets(event.command),
        ...(event.detail !== undefined && { detail: redactSecrets(event.detail) }),
      };
    case "background.started":
      return { ...event, description: redactSecrets(event.description) };
    case "prompt.admitted":
      if (event.source === "user") return event;
      return {
        ...event,
        parts: event.parts.map((part) => (part.type === "text" ? { ...part, text: redactSecrets(part.text) } : part)),
      };
    default:
      return event;
  }
}
