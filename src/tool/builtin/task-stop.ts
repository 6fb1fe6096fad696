import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { noSuchJob, statusLine } from "./task-output.ts";

const TaskStopInput = z.strictObject({
  task_id: z.string().min(1).max(100).describe("The task id that Bash or Agent returned"),
});

export const taskStopTool = defineTool<z.infer<typeof TaskStopInput>>({
  name: "TaskStop",
  description:
    "Stops a background job and all its processes. The work that an agent did so far stays, and is reported to you.",
  input: TaskStopInput,
  access: "run",
  subject: () => ({ kind: "own" }),
  title: (input) => `TaskStop ${input.task_id}`,
  async execute(input, context) {
    const job = context.background.get(input.task_id);
    if (!job) return failedResult(noSuchJob(input.task_id, context.background));
    if (job.ended) return textResult(`Nothing to stop: ${statusLine(job)}`);
    await job.stop();
    return textResult(statusLine(job));
  },
});
