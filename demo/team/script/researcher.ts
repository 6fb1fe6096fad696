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
            "The first payers do, one cent each: a test allows shares to differ by at most one cent.",
            "the first payers, one cent each",
          ),
        ],
      },
    ],
    [{ tool: "SendMessage" }, { calls: [{ tool: "TaskUpdate", input: { taskId: 1, status: "completed" } }] }],
    [{ tool: "TaskUpdate" }, { text: "Found: each share is rounded separately, so 3 x 333 is 999." }],
    [
      { tool: "Grep" },
      {
        calls: [
          toImplementer(
            `${fault.source}, line 3: each share is rounded separately. 3 x 333 is 999, and a cent is gone.`,
            "each share is rounded separately",
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
