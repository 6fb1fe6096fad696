import type { BranchUse, LeftWorktree, RefusedCommand, TaskMail } from "../../agent/index.ts";
import type { ProcessIdentity } from "../../platform/index.ts";
import { type StoredEvent, teamUser, type WorkItem, type WorkItemId } from "../../protocol/index.ts";
import type {
  NewTask,
  TaskActor,
  TaskAnswer,
  TaskClaimer,
  TaskList,
  TaskProof,
  TaskRefusal,
} from "../../store/index.ts";
import { failedResult, type ToolResult } from "../../tool/index.ts";

/** Ports of the task tools of one agent. The list belongs to its team or to its session. */
export interface TaskToolPorts {
  list(): Promise<TaskList>;
  /** The name under which the agent owns tasks. */
  memberName(): string;
  /** Undefined for the session's own list. */
  team(): string | undefined;
  /** All members of the team, including this one and those that have ended. */
  members(): readonly TaskMember[];
  record(event: TaskEvent): Promise<void>;
  /** Sends mail about a change to a member that it concerns. */
  notify(mail: TaskMail): Promise<void>;
  readonly hooks?: TaskHooks | undefined;
  /** Runs the checks of a task that an agent completes. Gives no verdict on a check that could not run. */
  accept(task: WorkItem, signal: AbortSignal): Promise<Pick<TaskProof, "proof" | "detail">>;
  /** The refusal of a check if this agent completed the task. Absent if that is not known before. */
  readonly refuseCheck?: ((command: string) => Promise<RefusedCommand | undefined>) | undefined;
  /** The work of this member that has not landed. Undefined if there is none, or it is not known. */
  readonly unlandedWork?: ((member: string) => Promise<LeftWorktree | undefined>) | undefined;
  /** How this member gets the work on the branch of another. Default: it asks the lead. */
  readonly branchUse?: ((member: string) => BranchUse) | undefined;
  /** Returns those of the given tools that this agent does not have. */
  capable(needs: readonly string[]): readonly string[];
  /** The process in which the agent works. The agent's claims end with it. */
  readonly holder?: ProcessIdentity | undefined;
  /** The generation of each claim that this agent holds. Shared with the code that claims for the agent. */
  readonly claims: Map<WorkItemId, number>;
}

export interface TaskMember {
  readonly name: string;
  /** Why it has ended. */
  readonly ended?: { readonly reason: string } | undefined;
}

export type TaskEvent = Extract<StoredEvent, { type: `task.${string}` }>;

/** Each returns an objection for the model; undefined if there is none. */
export interface TaskHooks {
  taskCreated(task: Pick<NewTask, "subject" | "description">, signal: AbortSignal): Promise<string | undefined>;
  taskCompleted(task: WorkItem, signal: AbortSignal): Promise<string | undefined>;
}

/** The agent as the author of a change. A change to a task that it holds counts only while its claim does. */
export const actorOf = (ports: TaskToolPorts, id: WorkItemId): TaskActor => {
  const generation = ports.claims.get(id);
  return { name: ports.memberName(), ...(generation !== undefined && { generation }) };
};

/** The agent as a claimer, with those of the needed tools that it has. A claim checks no other tools. */
export const claimerOf = (ports: TaskToolPorts, { needs }: WorkItem): TaskClaimer => {
  const missing = new Set(ports.capable(needs));
  const tools = needs.filter((tool) => !missing.has(tool));
  return { name: ports.memberName(), tools, ...(ports.holder && { holder: ports.holder }) };
};

/** The agent as the reader of a task list. */
export const readerOf = (ports: TaskToolPorts) => ({
  missing: (needs: readonly string[]) => ports.capable(needs),
  isMember: (name: string) => isTaskMember(name, ports),
});

/** The user also owns tasks. In a list without a team everybody is known. */
export const isTaskMember = (name: string, ports: TaskToolPorts): boolean =>
  ports.team() === undefined ||
  name === teamUser ||
  name === ports.memberName() ||
  currentMembers(ports).includes(name);

export const currentMembers = (ports: TaskToolPorts): readonly string[] =>
  ports.members().flatMap(({ name, ended }) => (ended ? [] : [name]));

export const teamOf = (ports: TaskToolPorts): { team?: string } => {
  const team = ports.team();
  return team === undefined ? {} : { team };
};

/** The next step, if the message of the list does not say it. */
const nextStep: Readonly<Record<TaskRefusal, string>> = {
  missing: " TaskList shows the tasks.",
  taken: "",
  blocked: " Choose a task that nothing blocks, or end your turn: you are woken when a task of yours is free.",
  busy: "",
  unfit: "",
  stale: "",
  over: " Nothing is left to do for it.",
  dependency: " Nothing was changed.",
  nobody: "",
};

/** The result of a change that the list refused. */
export function refusedResult(
  answer: Extract<TaskAnswer, { ok: false }>,
  ports: TaskToolPorts,
  id: WorkItemId,
): ToolResult {
  if (answer.reason === "stale") ports.claims.delete(id);
  return failedResult(`${answer.message}${nextStep[answer.reason]}`);
}

export const unknownTaskMessage = (id: WorkItemId): ToolResult =>
  failedResult(`There is no task #${id}.${nextStep.missing}`);
