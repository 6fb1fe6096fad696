import { fault, testCommand, watchCommand } from "../sample-files.ts";
import { acceptShutdown, bash, claimed, scriptedRules } from "./scripted-rules.ts";

const answered = "The first payers do";
const commit = String.raw`\[(\S+) [0-9a-f]+\]`;

/**
 * The implementer is killed during a call that does not end by itself. It continues from its transcript, which tells
 * that.
 */
export const implementer = scriptedRules(
  "implementer@demo",
  [
    ...acceptShutdown,
    [
      { tool: "Bash", result: { regex: "Unknown outcome:|Interrupted" } },
      {
        text: "I was interrupted. I claim my task again and check what I did.",
        calls: [
          { tool: "TaskUpdate", input: { taskId: 2, status: "in_progress" } },
          bash("git diff", "See the earlier changes"),
        ],
      },
    ],
    [{ tool: "SendMessage", result: "Stored for tester" }, { text: "The split is fixed, committed and verified." }],
    [
      { tool: "Bash", result: { regex: commit } },
      {
        calls: [
          { tool: "TaskUpdate", input: { taskId: 2, status: "completed" } },
          {
            tool: "SendMessage",
            input: {
              to: "tester",
              message: `The fixed split is on the branch {{result:/${commit}/1}}.`,
              summary: "fixed, on my branch",
            },
          },
        ],
      },
    ],
    [
      { tool: "Bash", result: { regex: "ℹ fail 0" } },
      { text: "Green.", calls: [bash('git commit --all --message "Let every cent be paid"', "Commit the fix")] },
    ],
    [{ tool: "Bash", result: "diff --git" }, { calls: [bash(`${testCommand} ${fault.test}`, "Run its tests")] }],
    [{ tool: "Bash" }, { text: "The tests fail, so I do not commit it." }],
    [{ tool: "Edit" }, { calls: [bash(watchCommand, "Run its tests after every change")] }],
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
    [{ tool: "SendMessage" }, { text: "I wait for the answer." }],
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
    [{ said: "a cent is gone" }, { text: "That is the cause. I fix it as soon as I own the task." }],
  ],
  { text: "Ready." },
);
