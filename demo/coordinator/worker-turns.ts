import type { Answer, AnswerFunction, Ask } from "../../src/model/scripted/index.ts";
import { scratchpadOf } from "./coordinator-turns.ts";
import { discount, failing, rightPrice, testCommand, total, tryCommand } from "./sample-app-files.ts";

const bash = (command: string, description: string) => ({ tool: "Bash", input: { command, description } });
const read = (file_path: string) => ({ tool: "Read", input: { file_path } });
const readScratchpad = (ask: Ask, name: string) => `${scratchpadOf(ask)}/${name}`;
const edit = ({ source, faulty, mended }: typeof total) => ({
  tool: "Edit",
  input: { file_path: source, old_string: faulty, new_string: mended },
});
const runTests = bash(testCommand, "Run the tests");

/** The workers' answers, turn by turn. Each depends on the real results of its tools. */
export const workerTurns: Readonly<Record<string, readonly AnswerFunction[]>> = {
  tests: [
    (ask): Answer => ({
      calls: [bash(`${testCommand} > '${readScratchpad(ask, "test-run.txt")}'`, "Save a test run")],
    }),
    (ask): Answer => ({ calls: [read(readScratchpad(ask, "test-run.txt"))] }),
    ({ result }): Answer => ({
      text: result?.text.includes(failing)
        ? `One test fails: "${failing}". It expects 257 and gets 255.`
        : "No test fails.",
    }),
  ],
  code: [
    (): Answer => ({ calls: [read(total.source), read(discount.source)] }),
    (ask): Answer => ({
      calls: [{ tool: "Write", input: { file_path: readScratchpad(ask, "findings.md"), content: findings } }],
    }),
    ({ result }): Answer => ({
      text: result?.isError
        ? "I could not save my findings."
        : `${total.source} line 5 applies the discount to each item before it adds up, and ${discount.source} line 3 truncates instead of rounding.`,
    }),
    (): Answer => ({ calls: [edit(total), edit(discount)] }),
    ({ results }): Answer =>
      results.some(({ isError }) => isError) ? { text: "An edit was refused, so I stop." } : { calls: [runTests] },
    ({ result }): Answer => ({
      text: result?.isError ? "The tests still fail." : "Both are fixed, and all three tests pass. Not committed.",
    }),
  ],
  verify: [
    (ask): Answer => ({ calls: [read(readScratchpad(ask, "test-run.txt")), read(readScratchpad(ask, "findings.md"))] }),
    (): Answer => ({ calls: [runTests, bash(tryCommand, "Try the program")] }),
    ({ results: [tests, tried] }): Answer => {
      const turnsByTask = !tests?.isError && tried?.text.includes(rightPrice);
      return {
        text: turnsByTask ? `It works: the tests pass, and the till prints ${rightPrice}.` : "It does not work.",
      };
    },
  ],
};

const findings = `# Wrong totals

- ${total.source}:5 applies the discount to each item, then adds up.
- ${discount.source}:3 truncates a fraction of a cent: with many items it is lost many times.

Add up first, apply the discount once, and round.\n`;
