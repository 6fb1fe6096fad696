import type { Event } from "../../protocol/index.ts";
import { type Draft, newDraft } from "./agent-view.ts";

type DraftEvent = Extract<
  Event,
  { type: "thinking.delta" | "text.delta" | "tool.drafted" | "turn.waiting" | "turn.retried" }
>;

/** Applies an event of the current turn to its partial answer. */
export function reduceDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case "thinking.delta":
      return { ...draft, thinking: draft.thinking + event.text, phase: { kind: "thinking" } };
    case "text.delta":
      return { ...draft, text: draft.text + event.text, phase: { kind: "text" } };
    case "tool.drafted": {
      // An empty piece begins a call: two calls of one tool may follow each other.
      const isContinuing = draft.phase.kind === "tool" && draft.tool?.name === event.name && event.inputJson !== "";
      const inputJson = (isContinuing ? draft.tool.inputJson : "") + event.inputJson;
      return { ...draft, tool: { name: event.name, inputJson }, phase: { kind: "tool" } };
    }
    case "turn.waiting":
      return { ...draft, phase: { kind: "waiting", reason: event.reason } };
    case "turn.retried": {
      const { turn, attempt, delayMs, failure } = event;
      return { ...newDraft(turn), phase: { kind: "retrying", attempt, delayMs, failure } };
    }
  }
}
