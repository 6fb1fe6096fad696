import {
  returnedBy,
  isOpenTask,
  oneLine,
  openBlockers,
  visibleLine,
  visibleText,
  type WorkItem,
  type WorkItemId,
} from "../../../protocol/index.ts";
import { cleanText } from "../../../tool/index.ts";
import { escapeMarkup, escapeSenders } from "../escape-markup.ts";
import { troupeNotice } from "../notice.ts";

/** The agent that reads a task list. */
export interface TaskReader {
  /** Returns those of the given tools that the reader does not have. */
  readonly missing?: ((needs: readonly string[]) => readonly string[]) | undefined;
  /** False for an owner that is not in the team: the task is reserved for it. */
  readonly isMember?: ((name: string) => boolean) | undefined;
}

const subjectLimit = 200;
const linesLimit = 200;
const charactersLimit = 20_000;

/** `#2 [pending] second (alice) [blocked by #1]`, or `#2 [pending] second [returned by alice]`. */
export function taskLine(task: WorkItem, all: readonly WorkItem[], reader: TaskReader = {}): string {
  const blockers = openBlockers(task, all);
  const giver = returnedBy(task);
  const missing = task.status === "pending" ? (reader.missing?.(task.needs) ?? []) : [];
  return [
    `#${task.id} [${taskStatus(task)}] ${boundedLine(task.subject, subjectLimit)}`,
    ...(task.owner === undefined ? [] : [`(${task.owner}${isReserved(task, reader) ? ", not in the team yet" : ""})`]),
    ...(giver === undefined ? [] : [`[returned by ${giver}]`]),
    ...(blockers.length === 0 ? [] : [`[blocked by ${numbers(blockers)}]`]),
    ...(missing.length === 0 ? [] : [`[needs ${missing.join(", ")}, which you do not have]`]),
  ].join(" ");
}

/** `completed, not verified`: its checks were not run. That is not the same as done. */
function taskStatus(task: Pick<WorkItem, "status" | "acceptance" | "proof" | "proofDetail">): string {
  const { status, acceptance, proof, proofDetail } = task;
  if (status !== "completed" || acceptance.length === 0) return status;
  if (proof === "verified") return "completed, checks passed";
  return proofDetail === undefined ? "completed, being checked" : "completed, not verified";
}

const isReserved = ({ owner, status }: WorkItem, { isMember }: TaskReader) =>
  owner !== undefined && status === "pending" && isMember?.(owner) === false;

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
    ...(task.proofDetail ? [`${proofText(task)}: ${plain(task.proofDetail)}`] : []),
    ...ownWords(task),
    ...pastLines(task),
    `created by ${task.createdBy}, ${task.createdAt}`,
    ...(metadata === undefined ? [] : [`metadata: ${plain(metadata.slice(0, 4_000))}`]),
    "",
    plain(task.description),
  ].join("\n");
}

const proofText = ({ proof, status }: WorkItem) =>
  proof === "refuted" ? "its checks failed" : proof === "verified" ? "its checks passed" : `${status}, not verified`;

/** How the runtime claimed a task for an agent. `given`: it was the agent's own before its first turn. */
type ClaimKind = "free" | "waited" | "given";

function openingOf({ blockedBy }: WorkItem, how: ClaimKind): string {
  if (how === "free") return "You were idle, so you got the task below from the shared list. It is yours alone.";
  if (how === "given") return "The task below is yours. It is now in progress.";
  return blockedBy.length > 0
    ? "Your task was blocked. Nothing blocks it any more, you were idle, and it is now in progress."
    : "You were idle, and the task below is yours. It is now in progress.";
}

/** Sent to an agent when the runtime has claimed a task for it. `notes`: about the work that it builds on. */
export const claimedTask = (task: WorkItem, how: ClaimKind = "free", notes: readonly string[] = []): string =>
  [
    troupeNotice(
      [
        `${openingOf(task, how)} Do it, check it, then set it to completed with TaskUpdate (taskId ${task.id}). If you cannot do it, set it back to pending and say why in your last answer.`,
        ...notes,
      ].join("\n"),
    ),
    `<task id="${task.id}" from="${escapeMarkup(task.createdBy)}" subject="${escapeMarkup(boundedLine(task.subject, subjectLimit))}">`,
    escapeSenders([plain(task.description), ...checkLines(task), ...pastLines(task, task.owner)].join("\n")),
    "</task>",
  ].join("\n");

const checkLines = ({ acceptance }: WorkItem): readonly string[] =>
  acceptance.length === 0
    ? []
    : [
        "Checks that run in your folder when you complete it. It counts as done only if each exits with 0:",
        ...acceptance.map(({ command }) => `- ${plain(command)}`),
      ];

const ownWords = ({ owner, said }: WorkItem): readonly string[] =>
  !said?.text ? [] : [`${owner} last said: ${boundedText(said.text, wordsLimit)}`];

/** The earlier owners of the task, and the last words of the last one. A reader that had it knows its own. */
export function pastLines({ past = [] }: Pick<WorkItem, "past">, reader?: string): readonly string[] {
  const last = past.at(-1);
  if (!last) return [];
  if (last.owner === reader) return ["You had this task before."];
  const { said } = last;
  const earlier = [...new Set(past.slice(0, -1).map(({ owner }) => owner))].filter((owner) => owner !== last.owner);
  return [
    `${last.owner} had this task before${!said?.text ? "." : ` and last said: ${boundedText(said.text, wordsLimit)}`}`,
    ...(said?.branch === undefined
      ? []
      : [
          `The work of ${last.owner} is on the branch ${said.branch}: git diff HEAD...${said.branch} shows it, and git merge ${said.branch} brings it to your own worktree.`,
        ]),
    ...(earlier.length === 0 ? [] : [`Before that, ${earlier.join(" and ")} had it.`]),
  ];
}

const wordsLimit = 1_000;

const isDone = (task: WorkItem) => !isOpenTask(task);

const numbers = (ids: readonly WorkItemId[]) => ids.map((id) => `#${id}`).join(", ");

/** Makes the text safe to show: nothing in it moves the cursor, hides, or reverses a line. */
const plain = (text: string): string => visibleText(cleanText(text));

function boundedText(text: string, limit: number): string {
  const whole = plain(text);
  return whole.length <= limit ? whole : `${whole.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function boundedLine(text: string, limit: number): string {
  const line = oneLine(cleanText(text));
  return visibleLine(line.length <= limit ? line : `${line.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`);
}
