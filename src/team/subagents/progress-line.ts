import type { SubagentActivation } from "./subagent-activation.ts";

/** The progress of a running agent in one line, for the agent that started it. */
export function progressLine({ evidence, activity: doings, lastProgress: lastLine }: SubagentActivation): string {
  const { turns, usage } = evidence();
  const line = lastLine();
  return [
    `${count(turns, "turn")}, ${count(usage.toolCalls, "tool call")}, ${count(usage.tokens, "token")} so far`,
    ...(doings.now === undefined ? [] : [`now: ${doings.now}`]),
    ...(line === undefined ? [] : [`summary: ${line}`]),
  ].join("; ");
}

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
