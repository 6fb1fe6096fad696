import * as z from "zod";
import { defineTool, textResult } from "../define-tool.ts";
import { statusLine, withJob } from "./task-output.ts";

const TaskStopInput = z.strictObject({
  task_id: z
    .string()
    .min(1)
    .max(100)
    .describe("The id of a job, or the name or id of its agent. Teammates are not jobs"),
});

export const taskStopTool = defineTool<z.infer<typeof TaskStopInput>>({
  name: "TaskStop",
  description:
    "Stops a background job and all its processes. The work that an agent did so far stays, and is reported to you.",
  input: TaskStopInput,
  access: "run",
  subject: () => ({ kind: "own" }),
  title: (input) => `TaskStop ${input.task_id}`,
  execute: (input, context) =>
    withJob(input.task_id, context.background, async (job) => {
      if (job.ended) return textResult(`Nothing to stop: ${statusLine(job)}`);
      await job.stop("starter");
      return textResult(statusLine(job));
    }),
});
