import { fault, newTest, testCommand } from "../sample-files.ts";
import { bash, scriptedRules } from "./scripted-rules.ts";

export const prompt =
  "A cent is lost when a bill is split. Have a team find out why, fix it, prove it, and land the work.";

const tasks = [
  {
    subject: "Find out where the cent goes",
    description: `The test "${fault.failing}" fails. Find the line, and tell the implementer.`,
    owner: "researcher",
  },
  {
    subject: "Fix the split",
    description: `Fix ${fault.source}, not the test, and commit. Tell the tester the name of your branch.`,
    owner: "implementer",
    needs: ["Edit"],
    blockedBy: [1],
    acceptance: [{ command: `${testCommand} ${fault.test}` }],
  },
  {
    subject: "Try every bill",
    description: `Merge the implementer's branch, add ${newTest.path}, and commit.`,
    owner: "tester",
    needs: ["Write"],
    blockedBy: [2],
    acceptance: [{ command: testCommand }],
  },
];

const members = [
  { name: "researcher", description: "finds causes" },
  { name: "implementer", description: "fixes code", isolation: "worktree" },
  { name: "tester", description: "proves it", isolation: "worktree" },
];

const isGood = String.raw`Good to land: (troupe\/[\w-]+ troupe\/[\w-]+)\.`;

export const lead = scriptedRules(
  "lead",
  [
    [{ tool: "SendMessage" }, { text: "The work is on main, and the team is asked to shut down." }],
    [
      { tool: "Bash", result: "landed on main" },
      {
        text: "Landed, and green on main. The team is done.",
        calls: members.map(({ name }) => ({
          tool: "SendMessage",
          input: { to: name, message: { type: "shutdown_request", reason: "the work has landed" } },
        })),
      },
    ],
    [{ tool: "Bash", said: { regex: isGood } }, { text: "It did not land; nothing is changed." }],
    [
      { said: { regex: isGood } },
      {
        text: "The tester saw it pass, on top of the implementer's commit. I land both branches.",
        calls: [bash(`troupe land {{said:/${isGood}/1}} --check "node --test"`, "Land the work")],
      },
    ],
    [
      { said: "teammate implementer is gone" },
      { text: "The implementer died in the middle of its work. Its task is released; nothing else is lost." },
    ],
    [{ said: "has agreed to end and has ended" }, { text: "Goodbye, {{said:/(\\w+) has agreed to end/1}}." }],
    [{ tool: "TaskCreate" }, { text: "The team is at work. I am woken when I have something to do." }],
    [
      { tool: "Agent" },
      {
        text: "Three tasks: each waits for the one before it, and the runtime checks the last two itself.",
        calls: tasks.map((input) => ({ tool: "TaskCreate", input })),
      },
    ],
    [
      { tool: "Bash", result: `✖ ${fault.failing} (` },
      {
        text: "One test fails. I start a team: one agent finds the cause, one fixes it, one proves it.",
        calls: members.map(({ name, ...more }) => ({
          tool: "Agent",
          input: { name, subagent_type: name, prompt: "Your work comes from the task list.", ...more },
        })),
      },
    ],
    [{ tool: "Bash" }, { text: "No test fails, so there is nothing to fix." }],
    [{ turn: 1 }, { text: "I run the tests first.", calls: [bash(testCommand, "Run all tests")] }],
  ],
  { text: "I have nothing to do now, so I wait." },
);
