import {
  isOpenTask,
  oneLine,
  openBlockers,
  visibleLine,
  visibleText,
  type WorkItem,
  type WorkItemId,
} from "../../../protocol/index.ts";
import { cleanText } from "../../../tool/index.ts";
import { escapeMarkup } from "../escape-markup.ts";

/** The agent that reads a task list. */
export interface TaskReader {
  /** Returns those of the given tools that the reader does not have. */
  readonly missing?: ((needs: readonly string[]) => readonly string[]) | undefined;
}

const subjectLimit = 200;
const linesLimit = 200;
const charactersLimit = 20_000;

/** `#2 [pending] second (alice) [blocked by #1]`. */
export function taskLine(task: WorkItem, all: readonly WorkItem[], reader: TaskReader = {}): string {
  const blockers = openBlockers(task, all);
  const missing = task.status === "pending" ? (reader.missing?.(task.needs) ?? []) : [];
  return [
    `#${task.id} [${task.status}] ${boundedLine(task.subject, subjectLimit)}`,
    ...(task.owner === undefined ? [] : [`(${task.owner})`]),
    ...(isUnchecked(task) ? ["[being checked]"] : []),
    ...(blockers.length === 0 ? [] : [`[blocked by ${numbers(blockers)}]`]),
    ...(missing.length === 0 ? [] : [`[needs ${missing.join(", ")}, which you do not have]`]),
  ].join(" ");
}

/** The whole list, sorted by number. Tasks beyond the limit are only counted; completed ones are left out first. */
export function taskLines(all: readonly WorkItem[], reader: TaskReader = {}): string {
  if (all.length === 0) return "There are no tasks.";
  const kept = new Set<WorkItemId>();
  let size = 0;
  for (const task of [...all.filter((each) => !isDone(each)), ...all.filter(isDone).toReversed()]) {
    size += taskLine(task, all, reader).length + 1;
    if (kept.size === linesLimit || size > charactersLimit) break;
    kept.add(task.id);
  }
  const shown = all.filter(({ id }) => kept.has(id)).map((task) => taskLine(task, all, reader));
  const left = all.filter(({ id }) => !kept.has(id));
  const done = left.filter(isDone).length;
  const rest = [
    ...(left.length > done ? [`${left.length - done} open ones`] : []),
    ...(done > 0 ? [`${done} completed ones`] : []),
  ];
  return [...shown, ...(rest.length === 0 ? [] : [`[${rest.join(" and ")} are not shown; TaskGet shows one]`])].join(
    "\n",
  );
}

/** All fields of one task. */
export function taskDetails(task: WorkItem, all: readonly WorkItem[], reader: TaskReader = {}): string {
  const blocked = all.filter(({ id, blockedBy }) => blockedBy.includes(task.id) || task.blocks.includes(id));
  const metadata = Object.keys(task.metadata).length === 0 ? undefined : JSON.stringify(task.metadata);
  return [
    taskLine(task, all, reader),
    ...(blocked.length === 0 ? [] : [`blocks: ${numbers(blocked.map(({ id }) => id))}`]),
    ...(task.activeForm === undefined ? [] : [`doing: ${boundedLine(task.activeForm, subjectLimit)}`]),
    ...(task.needs.length === 0 ? [] : [`needs: ${task.needs.join(", ")}`]),
    ...task.acceptance.map(({ command }) => `check: ${plain(command)}`),
    ...(task.proof === undefined
      ? []
      : [`${task.proof}${task.proofDetail === undefined ? "" : `: ${plain(task.proofDetail)}`}`]),
    `created by ${task.createdBy}, ${task.createdAt}`,
    ...(metadata === undefined ? [] : [`metadata: ${plain(metadata.slice(0, 4_000))}`]),
    "",
    plain(task.description),
  ].join("\n");
}

const openings = {
  free: "You were idle and have claimed this task from the shared list. It is yours alone.",
  waited: "Your task was blocked. Nothing blocks it any more, you were idle, and it is now in progress.",
} as const;

/**
 * Sent to an agent when the runtime has claimed a task for it. `waited`: the task was assigned to it while it was
 * blocked.
 */
export const claimedTask = (task: WorkItem, how: keyof typeof openings = "free"): string =>
  [
    openings[how],
    `<task id="${task.id}" from="${escapeMarkup(task.createdBy)}" subject="${escapeMarkup(boundedLine(task.subject, subjectLimit))}">`,
    escapeMarkup(plain(task.description)),
    "</task>",
    ...(task.acceptance.length === 0
      ? []
      : ["When you complete it, these commands run. It counts as done only if all of them pass:"]),
    ...task.acceptance.map(({ command }) => `- ${escapeMarkup(plain(command))}`),
    `Do it, check it, then set it to completed with TaskUpdate (taskId ${task.id}). If you cannot do it, set it back to pending and send the lead the reason.`,
  ].join("\n");

/** Completed, but its checks have no result yet: it unblocks nothing. */
const isUnchecked = (task: WorkItem) => task.status === "completed" && isOpenTask(task);

const isDone = (task: WorkItem) => !isOpenTask(task);

const numbers = (ids: readonly WorkItemId[]) => ids.map((id) => `#${id}`).join(", ");

/** Makes the text safe to show: nothing in it moves the cursor, hides, or reverses a line. */
const plain = (text: string): string => visibleText(cleanText(text));

function boundedLine(text: string, limit: number): string {
  const line = oneLine(cleanText(text));
  return visibleLine(line.length <= limit ? line : `${line.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`);
}
