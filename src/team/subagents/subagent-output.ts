import type { Event } from "../../protocol/index.ts";
import type { Subagent } from "./subagent.ts";

/** The text that a subagent writes, and the titles of its calls, for people who look on. */
export interface SubagentOutput extends Pick<Subagent, "onText"> {
  observe(event: Event): void;
  clear(): void;
}

export function createSubagentOutput(): SubagentOutput {
  const listeners = new Set<(text: string) => void>();
  let output = "";
  const write = (text: string) => {
    output = (output + text).slice(-outputLimit);
    for (const listener of listeners) listener(text);
  };
  return {
    observe(event) {
      if (event.type === "turn.ended")
        for (const part of event.parts) if (part.type === "text") write(`${part.text}\n`);
      if (event.type === "tool.called") write(`  ${event.title}\n`);
    },
    onText(listener, { fromStart } = { fromStart: false }) {
      if (fromStart && output !== "") listener(output);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear() {
      output = "";
    },
  };
}

/** How much of its output is kept for listeners that come later. */
const outputLimit = 1_000_000;
