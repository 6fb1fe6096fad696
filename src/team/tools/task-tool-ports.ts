import * as z from "zod";
import { nearestName, type ProcessIdentity } from "../../platform/index.ts";
import type { StoredEvent, WorkItem, WorkItemId } from "../../protocol/index.ts";
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
  /** The possible owners of a task: all current members, including this one. */
  members(): readonly string[];
  record(event: TaskEvent): Promise<void>;
  /** Notifies another member that a task is assigned to it. */
  assign(task: WorkItem, to: string): Promise<void>;
  readonly hooks?: TaskHooks | undefined;
  /** Runs the checks of a task that an agent completes. Gives no verdict on a check that could not run. */
  accept(task: WorkItem, signal: AbortSignal): Promise<Pick<TaskProof, "proof" | "detail">>;
  /** Returns those of the given tools that this agent does not have. */
  capable(needs: readonly string[]): readonly string[];
  /** The process in which the agent works. The agent's claims end with it. */
  readonly holder?: ProcessIdentity | undefined;
  /** The generation of each claim that this agent holds. Shared with the code that claims for the agent. */
  readonly claims: Map<WorkItemId, number>;
}

export type TaskEvent = Extract<StoredEvent, { type: `task.${string}` }>;

/** Each returns an objection for the model; undefined if there is none. */
export interface TaskHooks {
  taskCreated(task: Pick<NewTask, "subject" | "description">, signal: AbortSignal): Promise<string | undefined>;
  taskCompleted(task: WorkItem, signal: AbortSignal): Promise<string | undefined>;
}

export const subjectLimit = 300;
export const textLimit = 50_000;
const metadataLimit = 20_000;

/**
 * Accepts `1`, `"1"` and `"#1"`: models write all of them. The schema shows only text, which every model server
 * understands.
 */
export const taskNumber = () =>
  z.coerce.string().transform((given, context): WorkItemId => {
    const id = Number(/^\s*#?(\d{1,15})\s*$/.exec(given)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(id) && id > 0) return id;
    const message = 'is not the number of a task: write it as TaskList shows it, "1" or "#1"';
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

export const metadataInput = () =>
  z
    .looseObject({})
    .refine(
      (value) => JSON.stringify(value).length <= metadataLimit,
      `must be at most ${metadataLimit} characters as JSON`,
    );

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
export const readerOf = (ports: TaskToolPorts) => ({ missing: (needs: readonly string[]) => ports.capable(needs) });

export const teamOf = (ports: TaskToolPorts): { team?: string } => {
  const team = ports.team();
  return team === undefined ? {} : { team };
};

/** The next step, if the message of the list does not say it. */
const nextStep: Readonly<Record<TaskRefusal, string>> = {
  missing: " TaskList shows the tasks.",
  taken: "",
  blocked: " It is free when those are completed. Choose a task that nothing blocks.",
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

/** Undefined if this name can own a task. */
export function unknownOwner(name: string, ports: TaskToolPorts): ToolResult | undefined {
  const names = ports.members();
  if (names.includes(name) || name === ports.memberName()) return undefined;
  if (ports.team() === undefined) {
    return failedResult(`There is no member ${JSON.stringify(name)}: this task list is yours alone. Leave owner out.`);
  }
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return failedResult(`There is no member ${JSON.stringify(name)} in the team.${hint} There are: ${names.join(", ")}.`);
}
