import * as z from "zod";
import { taskLine } from "../../agent/index.ts";
import { teamLead } from "../../protocol/index.ts";
import { cleanText, defineTool, failedResult, textResult, type Tool, type ToolResult } from "../../tool/index.ts";
import { checkProblems } from "./check-problems.ts";
import { lazyInput } from "./lazy-input.ts";
import { resolveOwner } from "./task-owner.ts";
import { tellAboutTask } from "./tell-about-task.ts";
import { toFailedResult } from "./to-failed-result.ts";
import { acceptanceInput, metadataInput, taskNumbers, taskTexts } from "./task-inputs.ts";
import { readerOf, type TaskToolPorts, teamOf } from "./task-tool-ports.ts";
import type { NewTask } from "../../store/index.ts";

type TaskCreateInput = Omit<NewTask, "blocks">;

const createInput = lazyInput<TaskCreateInput>(() => {
  const { subject, description, activeForm } = taskTexts();
  return z.strictObject({
    subject: subject.describe("What to do, as an instruction: Fix the date parser"),
    description: description.describe("All that the agent doing it must know; it has not seen this conversation"),
    activeForm: activeForm.describe("Shown while it is in progress: Fixing the parser"),
    owner: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe("Who is to do it: a teammate, also one that you start later, or team-lead. Without: any idle teammate"),
    metadata: metadataInput().optional().describe("Anything else worth keeping, as key and value"),
    needs: z
      .array(z.string().min(1).max(100))
      .max(50)
      .optional()
      .describe("Tools that the agent doing it must have, such as Edit; others cannot claim it"),
    acceptance: acceptanceInput()
      .optional()
      .describe(
        "Commands run in the doer's folder when it sets the task to completed; it counts as done only if each exits with 0. Only commands that are allowed without asking",
      ),
    blockedBy: taskNumbers().describe("Numbers of tasks that must be completed first"),
  });
});

/** Creates the tool that adds a task to the list. Nothing is written if a hook objects. */
export function createTaskCreateTool(ports: TaskToolPorts): Tool {
  return defineTool<TaskCreateInput>({
    name: "TaskCreate",
    description: `Adds a task to the task list: your plan when you work alone, the shared list in a team. Use it for work with several parts: one task for each part, with blockedBy where the order matters. In a team say with owner who is to do it; any idle teammate takes a task without an owner. Not for a single small step that you do right away.`,
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
  const found = input.owner === undefined ? undefined : resolveOwner(input.owner, ports);
  if (found && "problem" in found) return failedResult(`${found.problem} The task was not created.`);
  const texts = { subject: cleanText(input.subject), description: cleanText(input.description) };
  const task = { ...input, ...texts, owner: found?.owner };
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
  const all = await list.list();
  const told = await tellAboutTask(answer, { all, ports });
  const lines = [
    `Task #${item.id} created.${told}${found?.hint ?? ""}`,
    taskLine(item, all, readerOf(ports)),
    ...(item.acceptance.length === 0 ? [] : [`Checks: ${item.acceptance.map(({ command }) => command).join("; ")}`]),
    ...(await checkProblems(item, ports)),
    ...(ports.team() === undefined || item.owner !== undefined || item.blockedBy.length === 0
      ? []
      : [unownedNote(ports)]),
  ];
  return textResult(lines.join("\n"));
}

const unownedNote = (ports: TaskToolPorts) =>
  `No owner: an idle teammate gets it as soon as nothing blocks it. To choose who does it, set owner with TaskUpdate${ports.memberName() === teamLead ? ` (${teamLead} keeps it for you)` : ""}.`;
