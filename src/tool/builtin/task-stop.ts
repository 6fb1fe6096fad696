import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";
import { noSuchTask, statusLine } from "./task-output.ts";

const TaskStopInput = z.strictObject({
  task_id: z.string().min(1).max(100).describe("The task id that Bash or Agent gave"),
});

export const taskStopTool = defineTool<z.infer<typeof TaskStopInput>>({
  name: "TaskStop",
  description:
    "Ends a background task and every process it has started. What an agent did until then stays, and is told to you.",
  input: TaskStopInput,
  access: "run",
  subject: () => ({ kind: "own" }),
  title: (input) => `TaskStop ${input.task_id}`,
  async execute(input, context) {
    const task = context.background.get(input.task_id);
    if (!task) return failedResult(noSuchTask(input.task_id, context.background));
    if (task.ended) return textResult(`Nothing to stop: ${statusLine(task)}`);
    await task.stop();
    return textResult(statusLine(task));
  },
});
