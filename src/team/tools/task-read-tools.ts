import * as z from "zod";
import { taskDetails, taskLines } from "../../agent/index.ts";
import type { WorkItemId } from "../../protocol/index.ts";
import { defineTool, textResult, type Tool } from "../../tool/index.ts";
import { lazyInput } from "./lazy-input.ts";
import { unknownTaskMessage, readerOf, taskNumber, type TaskToolPorts } from "./task-tool-ports.ts";

const getInput = lazyInput<{ readonly taskId: WorkItemId }>(() =>
  z.strictObject({ taskId: taskNumber().describe("Its number, as TaskList shows it") }),
);

const listInput = lazyInput<Record<string, never>>(() => z.strictObject({}));

/** Shows one task whole. */
export function createTaskGetTool(ports: TaskToolPorts): Tool {
  return defineTool<{ readonly taskId: WorkItemId }>({
    name: "TaskGet",
    description:
      "Shows one task of the list with its whole description, what it waits for and what waits for it. Read it before you begin with a task.",
    get input() {
      return getInput();
    },
    access: "read",
    subject: () => ({ kind: "own" }),
    title: ({ taskId }) => `TaskGet #${taskId}`,
    resultLimit: 60_000,
    async execute({ taskId }) {
      const all = await (await ports.list()).list();
      const task = all.find(({ id }) => id === taskId);
      if (!task) return unknownTaskMessage(taskId);
      return textResult(taskDetails(task, all, readerOf(ports)));
    },
  });
}

/** Shows the list, a line for each task. */
export function createTaskListTool(ports: TaskToolPorts): Tool {
  return defineTool<Record<string, never>>({
    name: "TaskList",
    description:
      "Shows the task list, one line for each: number, state, subject, owner, and what still blocks it. A pending task without owner that nothing blocks is free to claim; take the lowest number first.",
    get input() {
      return listInput();
    },
    access: "read",
    subject: () => ({ kind: "own" }),
    title: () => "TaskList",
    async execute() {
      const all = await (await ports.list()).list();
      return textResult(taskLines(all, readerOf(ports)));
    },
  });
}
