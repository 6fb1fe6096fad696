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

/** What the task tools of one agent work with: the list of its team, or that of its session. */
export interface TaskToolPorts {
  list(): Promise<TaskList>;
  /** The name under which it owns tasks. */
  memberName(): string;
  /** Undefined for the session's own list. */
  team(): string | undefined;
  /** Who can own a task: everybody who is there, itself among them. */
  members(): readonly string[];
  record(event: TaskEvent): Promise<void>;
  /** Tells somebody else that a task is theirs now. */
  assign(task: WorkItem, to: string): Promise<void>;
  readonly hooks?: TaskHooks | undefined;
  /** Runs the checks of a task that is said to be done; never gives a verdict on what could not be run. */
  accept(task: WorkItem, signal: AbortSignal): Promise<Pick<TaskProof, "proof" | "detail">>;
  /** Those of the given tools that this agent has not. */
  capable(needs: readonly string[]): readonly string[];
  /** The process in which it works: its claims end with it. */
  readonly holder?: ProcessIdentity | undefined;
  /** The generation of each claim this agent holds; shared with whoever claims for it. */
  readonly claims: Map<WorkItemId, number>;
}

export type TaskEvent = Extract<StoredEvent, { type: `task.${string}` }>;

/** Each gives why not, for the model; undefined where nothing is against it. */
export interface TaskHooks {
  taskCreated(task: Pick<NewTask, "subject" | "description">, signal: AbortSignal): Promise<string | undefined>;
  taskCompleted(task: WorkItem, signal: AbortSignal): Promise<string | undefined>;
}

export const subjectLimit = 300;
export const textLimit = 50_000;
const metadataLimit = 20_000;

/** `1`, `"1"` and `"#1"`: models write all of them. They are told of text alone, which every server of models understands. */
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

/** Whoever changes a task it holds: the change counts only while its claim does. */
export const actorOf = (ports: TaskToolPorts, id: WorkItemId): TaskActor => {
  const generation = ports.claims.get(id);
  return { name: ports.memberName(), ...(generation !== undefined && { generation }) };
};

/** With the tools that the task needs and the agent has: that is all a claim asks about. */
export const claimerOf = (ports: TaskToolPorts, { needs }: WorkItem): TaskClaimer => {
  const missing = new Set(ports.capable(needs));
  const tools = needs.filter((tool) => !missing.has(tool));
  return { name: ports.memberName(), tools, ...(ports.holder && { holder: ports.holder }) };
};

/** Whose eyes the list is shown to. */
export const readerOf = (ports: TaskToolPorts) => ({ missing: (needs: readonly string[]) => ports.capable(needs) });

export const teamOf = (ports: TaskToolPorts): { team?: string } => {
  const team = ports.team();
  return team === undefined ? {} : { team };
};

/** What to do now, where the list's own words do not say it. */
const nextStep: Readonly<Record<TaskRefusal, string>> = {
  missing: " TaskList shows which there are.",
  taken: "",
  blocked: " It is free once those are completed; take one that nothing blocks.",
  busy: "",
  unfit: "",
  stale: "",
  over: " Nothing is left to do for it.",
  dependency: " Nothing was changed.",
  nobody: "",
};

/** What the list has said no to. */
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

/** Undefined if somebody of that name can own a task. */
export function unknownOwner(name: string, ports: TaskToolPorts): ToolResult | undefined {
  const names = ports.members();
  if (names.includes(name) || name === ports.memberName()) return undefined;
  if (ports.team() === undefined) {
    return failedResult(
      `There is nobody ${JSON.stringify(name)} to give it to: this task list is yours alone. Leave owner out.`,
    );
  }
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return failedResult(`There is nobody ${JSON.stringify(name)} in the team.${hint} There are: ${names.join(", ")}.`);
}
