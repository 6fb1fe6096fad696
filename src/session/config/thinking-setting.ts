import { effortFor } from "../../model/index.ts";
import type { Effort, SessionOptions, Thinking } from "../../protocol/index.ts";

/** The thinking that the agents of a session ask for. The user can change its effort. */
export interface ThinkingSetting {
  current(): Thinking;
  setEffort(effort: Effort): void;
}

const defaultEffort: Effort = "medium";

/** A number of tokens sets the effort, unless an effort is given. */
export function createThinkingSetting({
  effort,
  thinkingTokens: tokens,
}: Pick<SessionOptions, "effort" | "thinkingTokens">): ThinkingSetting {
  let thinking: Thinking = { effort: effort ?? (tokens === undefined ? defaultEffort : effortFor(tokens)), tokens };
  return {
    current: () => thinking,
    setEffort: (next) => (thinking = { effort: next }),
  };
}
