import type { Answer, AnswerFunction } from "../../model/scripted/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";
import { leadTurns } from "./lead-turns.ts";
import { testCommand } from "./sample-files.ts";
import { runOf, tasks } from "./tasks.ts";

/** What is asked of the lead, what agents may do unasked, and what the script says in the model's place. */
export interface Scenario {
  readonly prompt: string;
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly script: AnswerFunction;
  /** How long a question stands on the screen before the demo answers it. */
  readonly answerAfterMs: number;
}

export type Pace = "fast" | "readable";

/** A lead finds three faults, has three agents mend them side by side, and lands their work once it is allowed to. */
export function mendTheTests(pace: Pace): Scenario {
  return {
    prompt: "Tests fail. Have an agent mend each fault, then land their work and show that all is green.",
    permissionMode: "acceptEdits",
    allowedTools: [
      ...[testCommand, ...tasks.map(({ fault }) => runOf(fault))].map((command) => `Bash(${command})`),
      "Bash(git commit:*)",
      "Bash(troupe worktree:*)",
    ],
    answerAfterMs: pace === "fast" ? 0 : 1400,
    script: async (ask) => {
      const index = tasks.findIndex(({ name }) => ask.agent === `lead/${name}`);
      const turns = ask.agent === "lead" ? leadTurns : (tasks[index]?.turns ?? []);
      const answer = await turns[ask.turn - 1]?.(ask);
      return answer && { ...answer, ...(pace === "readable" && pauses(answer, index)) };
    },
  };
}

/** Agents do not think in step, and no answer takes long to write, however much there is in its calls. */
const pauses = (answer: Answer, index: number): Partial<Answer> => ({
  delayMs: index < 0 ? 500 : 450 + 150 * index,
  chunk: Math.max(4, Math.ceil(JSON.stringify(answer).length / 60)),
  chunkDelayMs: 11,
});
