import * as z from "zod";
import { taskDetails, taskLines } from "../../agent/index.ts";
import type { WorkItemId } from "../../protocol/index.ts";
import { defineTool, runningJobs, textResult, type Tool } from "../../tool/index.ts";
import { lazyInput } from "./lazy-input.ts";
import { taskNumber } from "./task-inputs.ts";
import { unknownTaskMessage, readerOf, type TaskToolPorts } from "./task-tool-ports.ts";

const getInput = lazyInput<{ readonly taskId: WorkItemId }>(() =>
  z.strictObject({ taskId: taskNumber().describe("The number of the task, as TaskList shows it") }),
);

const listInput = lazyInput<Record<string, never>>(() => z.strictObject({}));

const readsOwnData = { access: "read", subject: () => ({ kind: "own" as const }) } as const;

export function createTaskGetTool(ports: TaskToolPorts): Tool {
  return defineTool<{ readonly taskId: WorkItemId }>({
    name: "TaskGet",
    description:
      "Shows one task of the list with its whole description, the tasks that block it and the tasks that it blocks. Read it before you begin a task: it also says who had it before and what that agent said.",
    get input() {
      return getInput();
    },
    ...readsOwnData,
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

export function createTaskListTool(ports: TaskToolPorts): Tool {
  return defineTool<Record<string, never>>({
    name: "TaskList",
    description:
      'Shows the task list, one line per task: number, state, subject, owner, and open blockers. "completed, not verified" means that its checks were not run: it may not be done. A pending task without an owner and without blockers is free. Take the lowest number first.',
    get input() {
      return listInput();
    },
    ...readsOwnData,
    title: () => "TaskList",
    async execute(_, { background, agent }) {
      const all = await (await ports.list()).list();
      const jobs = runningJobs(background);
      const how = agent.tools?.has("TaskOutput") ? " (TaskOutput shows one)" : "";
      const text = jobs.length === 0 ? [] : [`Not tasks, but your jobs in the background${how}:`, ...jobs];
      return textResult([taskLines(all, readerOf(ports)), ...text].join("\n"));
    },
  });
}
