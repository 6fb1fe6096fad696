import type { Answer, AnswerFunction, Ask } from "../../model/scripted/index.ts";
import { testCommand } from "./sample-files.ts";
import { runOf, type Task, tasks } from "./tasks.ts";

const runTests = { tool: "Bash", input: { command: testCommand, description: "Run all tests" } };

/** What the lead says, turn by turn. It goes by what it was really told, and stops where something is not as it should be. */
export const leadTurns: readonly AnswerFunction[] = [
  (): Answer => ({ text: "I run the tests to see what fails.", calls: [runTests] }),
  ({ result }): Answer => {
    const open = tasks.filter(({ fault }) => result?.text.includes(`✖ ${fault.failing} (`));
    if (open.length === 0) return { text: "No test fails, so there is nothing to mend." };
    return {
      text: `${open.length} tests fail, each in a file of its own, so they can be mended at the same time. I start an agent for each, in a worktree of its own.`,
      calls: open.map(startAgent),
    };
  },
  ({ results }): Answer => {
    const reports = results.map(readReport);
    const short = reports.find(({ branch, tested }) => branch === undefined || !tested);
    if (short) return { text: `I land nothing: ${short.name} has not shown that its fault is mended.` };
    const branches = reports.map(({ branch }) => branch).join(" ");
    const command = `troupe land ${branches} --check "node --test"`;
    return {
      text: "All have come back, and the log shows for each that its tests ran green. I land the branches; that needs your permission.",
      calls: [{ tool: "Bash", input: { command, description: "Land the three branches" } }],
    };
  },
  ({ result }): Answer => {
    if (result?.isError) return { text: "Not everything has landed; the worktrees stay as they are." };
    const prune = { command: "troupe worktree prune", description: "Remove the worktrees" };
    return {
      text: "Landed. I run all tests once more, and remove the worktrees.",
      calls: [runTests, { tool: "Bash", input: prune }],
    };
  },
  ({ results: [tests, pruned] }): Answer => {
    if (tests?.isError || pruned?.isError) return { text: "Something is not right after the landing: see above." };
    return { text: "Done: three faults mended by three agents, each as a commit of its own, and all tests pass." };
  },
];

const startAgent = ({ name, description, prompt }: Task) => ({
  tool: "Agent",
  input: { name, description, prompt, subagent_type: "general-purpose", isolation: "worktree" },
});

/** From the result of an Agent call: the branch it left, and whether the log has a green run of its tests. */
function readReport({ text, input }: Ask["results"][number]) {
  const { name } = input as { name: string };
  const task = tasks.find((each) => each.name === name);
  return {
    name,
    branch: /Its work is on the branch (\S+),/.exec(text)?.[1],
    tested: task !== undefined && text.includes(`"${runOf(task.fault)}" (exit 0`),
  };
}
