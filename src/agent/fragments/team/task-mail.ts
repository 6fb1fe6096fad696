import {
  type MailBody,
  oneLine,
  openBlockersOf,
  returnedBy,
  teamLead,
  teamUser,
  type WorkItem,
} from "../../../protocol/index.ts";
import { pastLines } from "./task-lines.ts";

/** A change to a task, as the list has decided it. */
export interface TaskChangeFacts {
  readonly item: WorkItem;
  /** The owner and the state before. Undefined for a new task. */
  readonly previous?: Pick<WorkItem, "owner" | "status"> | undefined;
  readonly by: string;
  /** The list after the change. */
  readonly all: readonly WorkItem[];
  /** False for an owner that is not in the team yet: it learns of the task when it starts. */
  readonly isMember: (name: string) => boolean;
  /** True if the words of the task changed, or what blocks it. */
  readonly isReworded?: boolean | undefined;
}

export interface TaskMail {
  readonly to: string;
  readonly body: MailBody;
  readonly summary: string;
  readonly wakes: boolean;
}

/**
 * The mail about a change to a task: to its new owner, to the member that had it, and to the lead if another member or
 * the user gave it away. The author gets no mail.
 */
export function taskMails(facts: TaskChangeFacts): readonly TaskMail[] {
  const { item, previous, by } = facts;
  const isMoved = item.owner !== previous?.owner;
  const mails = [
    ...(isMoved && item.owner !== undefined && item.status !== "completed" ? [assignmentMail(facts)] : []),
    ...(previous?.owner === undefined ? [] : holderMail(previous.owner, facts)),
    ...(isMoved && isForLead(facts) ? [leadMail(facts)] : []),
  ];
  return mails.filter(({ to }) => to !== by && to !== teamUser && facts.isMember(to));
}

/** A member that releases its own task reports that itself. */
const isForLead = ({ item, previous, by }: TaskChangeFacts) =>
  item.status !== "deleted" && previous?.owner !== undefined && (item.owner !== undefined || previous.owner !== by);

/** A blocked task does not wake its owner: the owner begins it when nothing blocks it any more. */
export function assignmentMail({ item, by, all }: Pick<TaskChangeFacts, "item" | "by" | "all">): TaskMail {
  const { id: taskId, subject, description, owner = "" } = item;
  const blockedBy = openBlockersOf(item, all);
  const history = pastLines(item, owner).join("\n");
  const body = {
    kind: "task_assignment" as const,
    taskId,
    subject,
    description,
    assignedBy: by,
    ...(blockedBy.length > 0 && { blockedBy }),
    ...(history !== "" && { history }),
  };
  return { to: owner, body, summary: `task #${taskId}`, wakes: blockedBy.length === 0 };
}

/** For the member that had the task before the change. It is woken only if it has begun. */
function holderMail(holder: string, facts: TaskChangeFacts): readonly TaskMail[] {
  const { item, previous, by } = facts;
  const hasBegun = previous?.status === "in_progress";
  const text = (words: string, wakes: boolean): readonly TaskMail[] => [
    { to: holder, body: { kind: "text", text: words }, summary: `task #${item.id}`, wakes },
  ];
  if (item.status === "deleted")
    return text(`${by} deleted your task #${item.id}.${hasBegun ? " Stop working on it." : ""}`, false);
  if (item.status === "completed") {
    if (previous?.status === "completed") return [];
    return text(
      `${by} set your task #${item.id} to completed. Nothing is left to do for it: stop working on it.`,
      false,
    );
  }
  if (item.owner !== holder) return text(lossText(facts, hasBegun), hasBegun);
  if (isReopened(facts)) return text(reopenedText(facts), openBlockersOf(item, facts.all).length === 0);
  return facts.isReworded ? text(`${by} changed your task #${item.id}. TaskGet shows it as it is now.`, hasBegun) : [];
}

const isReopened = ({ item, previous }: TaskChangeFacts) =>
  previous?.status === "completed" && (item.status === "pending" || item.status === "in_progress");

const reopenedText = ({ item: { id, subject }, by, isReworded }: TaskChangeFacts): string =>
  `#${id} is reopened by ${by}: ${oneLine(subject)}\nIt is yours again. TaskGet shows it${isReworded ? " as it is now" : ""}. Set it to in_progress, do what is missing, and set it to completed again.`;

function lossText({ item: { id, owner }, by }: TaskChangeFacts, hasBegun: boolean): string {
  const now = owner === undefined ? `${by} put it back on the task list` : `${by} gave it to ${owner}`;
  const who = owner ?? by;
  const next = hasBegun
    ? ` Stop working on it. Keep what you changed: commit it if you may, and tell ${who} where it is.`
    : "";
  return `#${id} is no longer yours: ${now}.${next}`;
}

function leadMail({ item: { id, owner }, previous, by }: TaskChangeFacts): TaskMail {
  const whose = previous?.owner === by ? "its" : `${previous?.owner}'s`;
  const text = `${by} ${owner === undefined ? `put ${whose} task #${id} back on the list` : `gave ${whose} task #${id} to ${owner}`}.`;
  return { to: teamLead, body: { kind: "text", text }, summary: `task #${id}`, wakes: false };
}

/** Tells the author of a change who else is concerned. Empty if there is none. */
export function taskChangeNote(facts: TaskChangeFacts): string {
  return [...taskHolderNote(facts), ...returnedNote(facts), ...(isOver(facts) ? [] : ownerNote(facts))].join(" ");
}

/** For a member that has just returned its task. */
const returnedNote = ({ item, previous, by }: TaskChangeFacts): readonly string[] =>
  previous?.owner === by && returnedBy(item) === by
    ? [`It waits for ${teamLead}, and no other member gets it by itself. Say why in your last answer.`]
    : [];

const isOver = ({ item: { status } }: TaskChangeFacts) => status === "completed" || status === "deleted";

/** Names the member that had the task before. */
export function taskHolderNote(facts: TaskChangeFacts): readonly string[] {
  const { item, previous, by, isReworded, isMember } = facts;
  const holder = previous?.owner;
  if (isReopened(facts)) return reopenedNote(facts);
  if (holder === undefined || holder === by || holder === teamUser || previous?.status === "completed") return [];
  const isKept = !isOver(facts) && item.owner === holder;
  if (!isMember(holder)) return isKept ? [] : [`It was reserved for ${holder}.`];
  if (isKept) return isReworded ? [`It is ${holder}'s, and ${holder} is notified.`] : [];
  return [
    previous?.status === "in_progress"
      ? `${holder} had it and is notified.`
      : `It was ${holder}'s, and ${holder} is notified.`,
  ];
}

/** Says who has the task now, because a task that is reopened is work for one member again. */
function reopenedNote({ item: { owner }, previous, by, isMember }: TaskChangeFacts): readonly string[] {
  const last = previous?.owner;
  if (owner === undefined)
    return [
      last !== undefined && !isMember(last)
        ? `It is open again without an owner, because ${last} is not in the team any more.`
        : "It is open again without an owner.",
    ];
  if (owner !== last) return [`It is open again, and ${owner} has it now.`];
  if (owner === by) return ["It is open again, and still yours."];
  return [`It is open again, still ${owner}'s, and ${owner} is notified.`];
}

function ownerNote({ item, previous, by, all, isMember }: TaskChangeFacts): readonly string[] {
  const { owner } = item;
  if (owner === undefined || owner === by || owner === teamUser || owner === previous?.owner) return [];
  if (!isMember(owner))
    return [`${owner} is not in the team yet, and the task is reserved for it: start ${owner} with Agent.`];
  const blockers = openBlockersOf(item, all);
  const numbers = blockers.map((id) => `#${id}`).join(", ");
  return [
    blockers.length === 0
      ? `${owner} is notified by mail.`
      : `${owner} is notified, and begins it when ${numbers} is done.`,
  ];
}

/** Follows the mail of an assignment that no longer holds. Undefined if it holds. `task`: as the list has it now. */
export function outdatedAssignmentNote(
  taskId: number,
  { task, reader }: { readonly task: WorkItem | undefined; readonly reader: string },
): string | undefined {
  if (!task || task.status === "deleted")
    return `#${taskId} was deleted after this message: there is nothing to do for it.`;
  if (task.owner === reader) return undefined;
  if (task.status === "completed") return `#${taskId} was completed after this message: there is nothing to do for it.`;
  return task.owner === undefined
    ? `#${taskId} was released after this message and has no owner now. Set it to in_progress before you work on it: that claims it, unless another member has it by then.`
    : `#${taskId} went to ${task.owner} after this message: do not work on it.`;
}
