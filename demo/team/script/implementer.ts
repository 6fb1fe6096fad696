import { fault, testCommand, watchCommand } from "../sample-files.ts";
import { acceptShutdown, bash, claimed, scriptedRules } from "./scripted-rules.ts";

const answered = "The first payers do";
const commit = String.raw`\[(\S+) [0-9a-f]+\]`;

/** It dies in the middle of a call that does not end by itself, and goes on from its transcript, which says so. */
export const implementer = scriptedRules(
  "implementer@demo",
  [
    ...acceptShutdown,
    [
      { tool: "Bash", result: { regex: "Unknown outcome:|Interrupted" } },
      {
        text: "I was away. I take my task again, and see what I had done.",
        calls: [
          { tool: "TaskUpdate", input: { taskId: 2, status: "in_progress" } },
          bash("git diff", "See what was done before"),
        ],
      },
    ],
    [{ tool: "SendMessage", result: "Stored for tester" }, { text: "The split is mended, committed and verified." }],
    [
      { tool: "Bash", result: { regex: commit } },
      {
        calls: [
          { tool: "TaskUpdate", input: { taskId: 2, status: "completed" } },
          {
            tool: "SendMessage",
            input: {
              to: "tester",
              message: `The mended split is on the branch {{result:/${commit}/1}}.`,
              summary: "it is mended, on my branch",
            },
          },
        ],
      },
    ],
    [
      { tool: "Bash", result: { regex: "ℹ fail 0" } },
      { text: "Green.", calls: [bash('git commit --all --message "Let somebody pay every cent"', "Commit the fix")] },
    ],
    [{ tool: "Bash", result: "diff --git" }, { calls: [bash(`${testCommand} ${fault.test}`, "Run its tests")] }],
    [{ tool: "Bash" }, { text: "That is not green, so I do not commit it." }],
    [{ tool: "Edit" }, { calls: [bash(watchCommand, "Run its tests whenever something changes")] }],
    [
      { said: answered },
      {
        calls: [
          {
            tool: "Edit",
            input: { file_path: fault.source, old_string: fault.faulty, new_string: fault.mended },
          },
        ],
      },
    ],
    [{ tool: "SendMessage" }, { text: "I wait for that." }],
    [
      { tool: "Read" },
      {
        calls: [
          {
            tool: "SendMessage",
            input: {
              to: "researcher",
              message: "Who pays the cents that cannot be shared?",
              summary: "who pays the cents that are left?",
            },
          },
        ],
      },
    ],
    [{ said: claimed }, { calls: [{ tool: "Read", input: { file_path: fault.source } }] }],
    [{ said: "a cent is gone" }, { text: "So that is it. I mend it as soon as the task is mine." }],
  ],
  { text: "Ready." },
);
