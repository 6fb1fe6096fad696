import type { Answer, AnswerFunction } from "../../model/scripted/index.ts";
import { type Fault, faults, testCommand } from "./sample-files.ts";

/** What one agent is started for, and what it says turn by turn. */
export interface Task {
  readonly name: string;
  readonly fault: Fault;
  readonly description: string;
  readonly prompt: string;
  readonly turns: readonly AnswerFunction[];
}

const told = {
  split: {
    description: "pay every cent of a bill",
    found: "Each share is rounded: 3 x 333 is 999, and nobody pays the last cent. The first payers take what is left.",
    commit: "Let somebody pay every cent of a bill",
  },
  parse: {
    description: "read amounts to the cent",
    found: "19.99 * 100 is 1998.9999999999998, and floor makes 1998 of it. It has to be rounded.",
    commit: "Read amounts to the nearest cent",
  },
  format: {
    description: "write cents with two digits",
    found: "1205 becomes 12.5: the cents need two digits.",
    commit: "Write cents with two digits",
  },
} as const;

export const tasks: readonly Task[] = (["split", "parse", "format"] as const).map((name) => {
  const fault = faults[name];
  const { description, found, commit } = told[name];
  return {
    name,
    fault,
    description,
    prompt: `The test "${fault.failing}" in ${fault.test} fails. The code is ${fault.source}. Find out why, mend the code and not the test, run \`${runOf(fault)}\`, and commit when it is green. Report what was wrong.`,
    turns: turnsOf(fault, { found, commit }),
  };
});

/** Each turn reads the results before it: where something is not as it should be, it says so and stops. */
function turnsOf(fault: Fault, { found, commit }: { found: string; commit: string }): readonly AnswerFunction[] {
  const { source, test, faulty, mended } = fault;
  const edit = { file_path: source, old_string: faulty, new_string: mended };
  return [
    (): Answer => ({
      calls: [
        { tool: "Read", input: { file_path: source } },
        { tool: "Read", input: { file_path: test } },
      ],
    }),
    (): Answer => ({ text: found, calls: [{ tool: "Edit", input: edit }] }),
    ({ result }): Answer =>
      result?.isError
        ? { text: "The edit was refused, so I stop here." }
        : { calls: [{ tool: "Bash", input: { command: runOf(fault), description: "Run its tests" } }] },
    ({ result }): Answer => {
      if (result?.isError) return { text: "The tests are still not green, so I do not commit." };
      const command = `git commit --all --message "${commit}"`;
      return { calls: [{ tool: "Bash", input: { command, description: "Commit the fix" } }] };
    },
    ({ result }): Answer => {
      const hash = /\[\S+ ([0-9a-f]+)\]/.exec(result?.text ?? "")?.[1];
      if (hash === undefined) return { text: `The fix is in ${source}, but it is not committed.` };
      return { text: `Mended, green, and committed as ${hash}.` };
    },
  ];
}

/** How the tests of one fault are run. */
export function runOf({ test }: Fault): string {
  return `${testCommand} ${test}`;
}
