import { newTest, testCommand } from "../sample-files.ts";
import { acceptShutdown, bash, claimed, scriptedRules } from "./scripted-rules.ts";

const onBranch = String.raw`on the branch (troupe\/[\w-]+)`;
/** The implementer's branch, and the tester's own branch on top of it. */
const branches = String.raw`(troupe\/[\w-]+)\nHEAD -> (troupe\/[\w-]+)`;

export const tester = scriptedRules(
  "tester@demo",
  [
    ...acceptShutdown,
    [{ tool: "SendMessage" }, { text: "4,509 bills tried: no cent is lost." }],
    [
      { tool: "Bash", result: { regex: branches } },
      {
        calls: [
          { tool: "TaskUpdate", input: { taskId: 3, status: "completed" } },
          {
            tool: "SendMessage",
            input: {
              to: "team-lead",
              message: `Every bill is split correctly. Good to land: {{result:/${branches}/1}} {{result:/${branches}/2}}.`,
              summary: "proved, good to land",
            },
          },
        ],
      },
    ],
    [
      { tool: "Bash", result: "] Try every bill" },
      { calls: [bash("git log --reverse --format=%D main..HEAD", "See which branches are in it")] },
    ],
    [
      { tool: "Bash", result: { regex: "ℹ fail 0" } },
      {
        calls: [
          bash(`git add ${newTest.path} && git commit --message "Try every bill up to five"`, "Commit the new test"),
        ],
      },
    ],
    [{ tool: "Write" }, { calls: [bash(testCommand, "Run all tests")] }],
    [
      { tool: "Bash", result: "Fast-forward" },
      { calls: [{ tool: "Write", input: { file_path: newTest.path, content: newTest.text } }] },
    ],
    [{ tool: "Bash" }, { text: "That failed, so I stop here." }],
    [
      { said: { regex: onBranch } },
      {
        calls: [
          { tool: "TaskUpdate", input: { taskId: 3, status: "in_progress" } },
          bash(`git merge --ff-only {{said:/${onBranch}/1}}`, "Merge the implementer's branch"),
        ],
      },
    ],
    [{ said: claimed }, { text: "I wait for the branch." }],
  ],
  { text: "Ready." },
);
