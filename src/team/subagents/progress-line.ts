import type { SubagentActivation } from "./subagent-activation.ts";

/** How far an agent at work is, in one line, for the one that looks after it. */
export function progressLine({ evidence, activity: doings, lastProgress: lastLine }: SubagentActivation): string {
  const { turns, usage } = evidence();
  const line = lastLine();
  return [
    `${count(turns, "turn")}, ${count(usage.toolCalls, "tool call")}, ${count(usage.tokens, "token")} so far`,
    ...(doings.now === undefined ? [] : [`doing now: ${doings.now}`]),
    ...(line === undefined ? [] : [`in a word: ${line}`]),
  ].join("; ");
}

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
