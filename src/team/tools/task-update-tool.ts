import * as z from "zod";
import { taskLine } from "../../agent/index.ts";
import { isOpenTask, keptOwner, type WorkItem, type WorkItemId, WorkItemStatus } from "../../protocol/index.ts";
import type { TaskList, TaskPatch } from "../../store/index.ts";
import { cleanText, defineTool, failedResult, textResult, type Tool, type ToolResult } from "../../tool/index.ts";
import { checkProblems } from "./check-problems.ts";
import { completeTask, taskName } from "./complete-task.ts";
import { lazyInput } from "./lazy-input.ts";
import { resolveOwner } from "./task-owner.ts";
import { tellAboutTask } from "./tell-about-task.ts";
import { toFailedResult } from "./to-failed-result.ts";
import { unlandedBlockers } from "./unlanded-blockers.ts";
import { acceptanceInput, metadataInput, taskNumber, taskNumbers, taskTexts } from "./task-inputs.ts";
import {
  actorOf,
  claimerOf,
  isTaskMember,
  readerOf,
  unknownTaskMessage,
  refusedResult,
  type TaskToolPorts,
  teamOf,
} from "./task-tool-ports.ts";

interface TaskUpdateInput extends Omit<TaskPatch, "owner"> {
  readonly taskId: WorkItemId;
  /** An empty text removes the owner. */
  readonly owner?: string | undefined;
}

const updateInput = lazyInput<TaskUpdateInput>(() => {
  const { subject, description, activeForm } = taskTexts();
  return z.strictObject({
    taskId: taskNumber().describe("The number of the task, as TaskList shows it"),
    subject: subject.optional(),
    description: description.optional(),
    activeForm,
    status: WorkItemStatus.optional().describe(
      "pending releases it, or reopens a completed task for its last owner; completed only if nothing blocks it",
    ),
    addBlocks: taskNumbers().describe("Tasks that cannot begin before this one is completed"),
    addBlockedBy: taskNumbers().describe("Tasks that must be completed before this one"),
    owner: z
      .string()
      .trim()
      .max(100)
      .optional()
      .describe(
        "Gives it to a teammate, also one that you start later, or to team-lead; an empty string removes the owner",
      ),
    acceptance: acceptanceInput().optional().describe("All its checks from now on; an empty list removes them"),
    metadata: metadataInput().optional().describe("Merged key by key; null removes a key"),
  });
});

/**
 * Creates the tool that changes a task: claims, releases, assigns or completes it. Each call takes effect as a whole or
 * not at all.
 */
export function createTaskUpdateTool(ports: TaskToolPorts): Tool {
  return defineTool<TaskUpdateInput>({
    name: "TaskUpdate",
    description: `Changes a task of the list. Set it to in_progress before you begin: that claims it, and only one agent can hold it. Set it to completed only when all of it is done. If it has checks, they run then, and their output is returned to you if they fail. If you cannot finish it, set it back to pending, or add a task for the obstacle and block this one by it. A new owner is notified by mail, and so is the one that had it.`,
    get input() {
      return updateInput();
    },
    access: "write",
    subject: () => ({ kind: "own" }),
    title: ({ taskId, status, owner }) =>
      ["TaskUpdate", `#${taskId}`, status, owner && `for ${owner}`].filter(Boolean).join(" "),
    execute: (input, { signal }) => toFailedResult(() => update(input, ports, signal)),
  });
}

async function update(given: TaskUpdateInput, ports: TaskToolPorts, signal: AbortSignal): Promise<ToolResult> {
  const found = given.owner ? resolveOwner(given.owner, ports) : undefined;
  if (found && "problem" in found) return failedResult(`${found.problem} Nothing was changed.`);
  const list = await ports.list();
  const task = await list.get(given.taskId);
  if (!task || task.status === "deleted") return unknownTaskMessage(given.taskId);
  const owner = found ? found.owner : keptOwner(task, given, (name) => isTaskMember(name, ports));
  const input = owner === undefined ? given : { ...given, owner };
  const patch = patchOf(input);
  switch (input.status) {
    case "completed":
      if (input.owner !== undefined && input.owner !== ports.memberName()) return failedResult(contradiction);
      if (input.acceptance !== undefined) return failedResult(checksFirst);
      return completeTask({ list, task, patch, ports, signal });
    case "deleted":
      return deleteTask(list, task, ports);
    case "in_progress":
      if (isClaim(input, task, ports)) return claimTask(list, task, { patch, ports });
      break;
    case "pending":
    case undefined:
      break;
  }
  return changeTask(list, task, { patch: { ...patch, ...ownerAndStatus(input) }, ports, hint: found?.hint });
}

const contradiction =
  "Nothing was changed: a task is completed by its owner, so it cannot be assigned to another member in the same call. Leave out owner or status.";

const checksFirst =
  "Nothing was changed: change the checks of a task first, then complete it in another call. Only its creator and team-lead change them.";

/** All fields except status and owner. */
function patchOf(input: TaskUpdateInput): TaskPatch {
  const { taskId: _, status: __, owner: ___, ...patch } = input;
  const { subject, description } = patch;
  return {
    ...patch,
    ...(subject !== undefined && { subject: cleanText(subject) }),
    ...(description !== undefined && { description: cleanText(description) }),
  };
}

const ownerAndStatus = ({ status, owner }: TaskUpdateInput): TaskPatch => ({
  ...(status !== undefined && { status }),
  ...(owner !== undefined && { owner: owner === "" ? null : owner }),
});

const isEmpty = (patch: TaskPatch) => Object.values(patch).every((value) => value === undefined);

/** True if the agent claims, for itself, a task without an owner or its own task that has not begun. */
const isClaim = ({ owner }: TaskUpdateInput, task: WorkItem, ports: TaskToolPorts) =>
  (owner === undefined || owner === ports.memberName()) &&
  (task.owner === undefined || (task.owner === ports.memberName() && task.status !== "in_progress"));

interface Change {
  readonly patch: TaskPatch;
  readonly ports: TaskToolPorts;
  /** About the owner. */
  readonly hint?: string | undefined;
}

async function claimTask(list: TaskList, task: WorkItem, { patch, ports }: Change): Promise<ToolResult> {
  const claimer = claimerOf(ports, task);
  const answer = isEmpty(patch)
    ? await list.claim(task.id, claimer)
    : await list.update(task.id, { ...patch, status: "in_progress" }, claimer);
  if (!answer.ok) return refusedResult(answer, ports, task.id);
  const { item } = answer;
  // If another member has claimed the task since, a lead's change leaves it with that member.
  if (item.owner !== ports.memberName()) return failedResult(`Task #${item.id} is already claimed by ${item.owner}.`);
  ports.claims.set(item.id, item.generation);
  await ports.record({ type: "task.claimed", ...teamOf(ports), taskId: item.id, subject: item.subject });
  const all = await list.list();
  const notes = await unlandedBlockers(item, all, ports);
  return textResult([`Task #${item.id} is yours.`, taskLine(item, all), ...notes].join("\n"));
}

async function deleteTask(list: TaskList, task: WorkItem, ports: TaskToolPorts): Promise<ToolResult> {
  const answer = await list.delete(task.id, actorOf(ports, task.id));
  if (!answer.ok) return refusedResult(answer, ports, task.id);
  ports.claims.delete(task.id);
  await ports.record({ type: "task.updated", ...teamOf(ports), taskId: task.id, status: "deleted" });
  const all = await list.list();
  const told = await tellAboutTask(answer, { all, ports });
  return textResult(`Task #${task.id} deleted.${told}${noLongerBlocked(task, all)}`);
}

/** Names the tasks that waited for a deleted one: its work is missing there. */
function noLongerBlocked({ blocks }: WorkItem, all: readonly WorkItem[]): string {
  const waiting = all.filter((task) => blocks.includes(task.id) && isOpenTask(task)).map(taskName);
  return waiting.length === 0 ? "" : ` No longer blocked by it: ${waiting.join(", ")}.`;
}

async function changeTask(list: TaskList, task: WorkItem, { patch, ports, hint = "" }: Change): Promise<ToolResult> {
  if (isEmpty(patch))
    return failedResult(`No change was given for #${task.id}. Set the fields that you want to change.`);
  const { tools } = claimerOf(ports, task);
  const answer = await list.update(task.id, patch, { ...actorOf(ports, task.id), tools });
  if (!answer.ok) return refusedResult(answer, ports, task.id);
  const { item } = answer;
  if (item.owner !== ports.memberName()) ports.claims.delete(item.id);
  await ports.record({
    type: "task.updated",
    ...teamOf(ports),
    taskId: item.id,
    ...(patch.status !== undefined && { status: patch.status }),
    ...(typeof patch.owner === "string" && { owner: patch.owner }),
  });
  const all = await list.list();
  const told = await tellAboutTask(answer, { all, isReworded: isReworded(patch), ports });
  const lines = [
    `Task #${item.id} changed.${told}${hint}`,
    taskLine(item, all, readerOf(ports)),
    ...(patch.acceptance === undefined ? [] : await checkProblems(item, ports)),
  ];
  return textResult(lines.join("\n"));
}

const isReworded = ({ subject, description, addBlockedBy, acceptance }: TaskPatch) =>
  [subject, description, addBlockedBy, acceptance].some((field) => field !== undefined);
