import type { Answer, AnswerFunction } from "../../model/scripted/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";
import { faultyLines, mendedLines, testCommand } from "./sample-files.ts";

/** What is asked of the agent, what it may do unasked, and what the script says in the model's place. */
export interface Scenario {
  readonly prompt: string;
  readonly permissionMode: PermissionMode;
  readonly allowedTools: readonly string[];
  readonly script: AnswerFunction;
  /** How long a question stands on the screen before the demo answers it. */
  readonly answerAfterMs: number;
}

export type Pace = "fast" | "readable";

/** One agent finds a fault by a failing test, mends it, and commits once it is allowed to. */
export function mendTheTest(pace: Pace): Scenario {
  const pauses = pace === "fast" ? {} : { delayMs: 600, chunk: 4, chunkDelayMs: 14 };
  return {
    prompt: "A test fails. Find out why, mend it, and commit when the tests are green.",
    permissionMode: "acceptEdits",
    allowedTools: [`Bash(${testCommand})`],
    answerAfterMs: pace === "fast" ? 0 : 1200,
    script: async (ask) => {
      const answer = await turns[ask.turn - 1]?.(ask);
      return answer && { ...answer, ...pauses };
    },
  };
}

const sourceFile = "src/split-bill.js";
const testFile = "test/split-bill.test.js";

const runTests = { tool: "Bash", input: { command: testCommand, description: "Run the tests" } };

/** Turn by turn. Each reads the results before it: where something is not as it should be, it says so and stops. */
const turns: readonly AnswerFunction[] = [
  (): Answer => ({ text: "I run the tests to see what fails.", calls: [runTests] }),
  ({ result }): Answer => {
    const failing = /✖ (.+?) \(/.exec(result?.text ?? "")?.[1];
    if (failing === undefined) return { text: "No test fails, so there is nothing to mend." };
    return {
      text: `The test "${failing}" fails. I read the code and its test side by side.`,
      calls: [
        { tool: "Read", input: { file_path: sourceFile } },
        { tool: "Read", input: { file_path: testFile } },
      ],
    };
  },
  (): Answer => ({
    text: "1000 cents for 3 people: each share is rounded to 333, which makes 999. One cent is paid by nobody. I round down and give the cents that are left to the first payers, one each.",
    calls: [{ tool: "Edit", input: { file_path: sourceFile, old_string: faultyLines, new_string: mendedLines } }],
  }),
  ({ result }): Answer =>
    result?.isError
      ? { text: "The edit was refused, so I stop here." }
      : { text: "Now the tests again.", calls: [runTests] },
  ({ result }): Answer => {
    if (result?.isError) return { text: "The tests are still not green, so I do not commit." };
    const command = `git commit --all --message "Let somebody pay every cent of a bill"`;
    return {
      text: "All green. I commit; that needs your permission.",
      calls: [{ tool: "Bash", input: { command, description: "Commit the fix" } }],
    };
  },
  ({ result }): Answer => {
    const hash = /\[\S+ ([0-9a-f]+)\]/.exec(result?.text ?? "")?.[1];
    if (hash === undefined) return { text: `The fix is in ${sourceFile}, but it is not committed.` };
    return {
      text: `Done: ${sourceFile} splits every bill to the last cent, the tests pass, and the fix is commit ${hash}.`,
    };
  },
];
