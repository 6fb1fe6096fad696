import * as z from "zod";
import { taskLine } from "../../agent/index.ts";
import type { AcceptanceCheck, WorkItemId } from "../../protocol/index.ts";
import { cleanText, defineTool, failedResult, textResult, type Tool, type ToolResult } from "../../tool/index.ts";
import { lazyInput } from "./lazy-input.ts";
import { toFailedResult } from "./to-failed-result.ts";
import {
  metadataInput,
  readerOf,
  subjectLimit,
  taskNumber,
  type TaskToolPorts,
  teamOf,
  textLimit,
} from "./task-tool-ports.ts";

interface TaskCreateInput {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly needs?: readonly string[] | undefined;
  readonly acceptance?: readonly AcceptanceCheck[] | undefined;
  readonly blockedBy?: readonly WorkItemId[] | undefined;
}

const createInput = lazyInput<TaskCreateInput>(() =>
  z.strictObject({
    subject: z.string().trim().min(1).max(subjectLimit).describe("What to do, as an instruction: Fix the date parser"),
    description: z
      .string()
      .max(textLimit)
      .describe("All that the agent doing it must know; it has not seen this conversation"),
    activeForm: z.string().max(subjectLimit).optional().describe("Shown while it is in progress: Fixing the parser"),
    metadata: metadataInput().optional(),
    needs: z
      .array(z.string().min(1).max(100))
      .max(50)
      .optional()
      .describe("Tools that the task needs, such as Bash. An agent without them cannot claim it"),
    acceptance: z
      .array(
        z.strictObject({
          command: z.string().trim().min(1).max(2_000),
          timeoutMs: z.int().positive().max(3_600_000).optional(),
        }),
      )
      .max(10)
      .optional()
      .describe(
        "Commands that run when the task is completed. It counts as done only if all of them end with exit code 0",
      ),
    blockedBy: z.array(taskNumber()).max(100).optional().describe("Numbers of tasks that must be completed first"),
  }),
);

/** Creates the tool that adds a task to the list. Nothing is written if a hook objects. */
export function createTaskCreateTool(ports: TaskToolPorts): Tool {
  return defineTool<TaskCreateInput>({
    name: "TaskCreate",
    description: `Adds a task to the shared list. Any free agent can claim it. Use it for work with several parts, or for several agents: one task for each part that one agent can do alone, with blockedBy where the order matters. Not for a single small step that you do right away.`,
    get input() {
      return createInput();
    },
    access: "write",
    subject: () => ({ kind: "own" }),
    title: (input) => `TaskCreate ${input.subject}`,
    execute: (input, { signal }) => toFailedResult(() => create(input, ports, signal)),
  });
}

async function create(input: TaskCreateInput, ports: TaskToolPorts, signal: AbortSignal): Promise<ToolResult> {
  const task = { ...input, subject: cleanText(input.subject), description: cleanText(input.description) };
  const objection = await ports.hooks?.taskCreated(task, signal);
  if (objection !== undefined) {
    return failedResult(`The task was not created: a hook of the user objects.\n${objection}`);
  }
  if (signal.aborted) return failedResult("The task was not created: you were interrupted first.");
  const list = await ports.list();
  const answer = await list.create(task, { name: ports.memberName() });
  if (!answer.ok) return failedResult(`${answer.message} The task was not created. TaskList shows the tasks.`);
  const { item } = answer;
  await ports.record({ type: "task.created", ...teamOf(ports), taskId: item.id, subject: item.subject });
  return textResult(`Task #${item.id} created.\n${taskLine(item, await list.list(), readerOf(ports))}`);
}
