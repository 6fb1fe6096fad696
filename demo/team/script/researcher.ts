import { fault } from "../sample-files.ts";
import { acceptShutdown, claimed, scriptedRules } from "./scripted-rules.ts";

const toImplementer = (message: string, summary: string) => ({
  tool: "SendMessage",
  input: { to: "implementer", message, summary },
});

const asked = "Who pays the cents";

export const researcher = scriptedRules(
  "researcher@demo",
  [
    ...acceptShutdown,
    [{ said: asked, tool: "SendMessage" }, { text: "Answered." }],
    [
      { said: asked },
      {
        calls: [
          toImplementer(
            "The first payers do, one cent each: a test allows nobody more than one cent above the others.",
            "the first payers, one cent each",
          ),
        ],
      },
    ],
    [{ tool: "SendMessage" }, { calls: [{ tool: "TaskUpdate", input: { taskId: 1, status: "completed" } }] }],
    [{ tool: "TaskUpdate" }, { text: "Found: each share is rounded by itself, so that 3 x 333 is 999." }],
    [
      { tool: "Grep" },
      {
        calls: [
          toImplementer(
            `${fault.source}, line 3: each share is rounded by itself. 3 x 333 is 999, and a cent is gone.`,
            "each share is rounded by itself",
          ),
        ],
      },
    ],
    [
      { said: claimed },
      {
        calls: [
          { tool: "Read", input: { file_path: fault.test } },
          { tool: "Grep", input: { pattern: "Math\\.", path: "src", output_mode: "content" } },
        ],
      },
    ],
  ],
  { text: "Ready." },
);
