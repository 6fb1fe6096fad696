import * as z from "zod";
import type { Clock } from "../../../platform/index.ts";
import { isOpenTask, TroupeError, type WorkItem } from "../../../protocol/index.ts";
import { applyTask } from "./apply-task-entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalFold } from "../journal/journal-fold.ts";
import { validateTaskEntry, type RefusedTask } from "./validate-task-entry.ts";
import { runtimeName } from "../record/team-names.ts";
import { type JournalOptions, openSealedJournal } from "../journal/sealed-journal.ts";
import { TaskEntry } from "./task-entry.ts";
import type { NewTask, TaskActor, TaskAnswer, TaskChange, TaskClaimer, TaskList, TaskPatch } from "./task-list.ts";
import { emptyTasks, restoreTasks, snapshotTasks, type TaskState } from "./task-list-state.ts";

/** A task list in one file, for a team or a session. Creates nothing before the first task. */
export const openTaskList = (options: JournalOptions): TaskList =>
  createTaskList(openSealedJournal(taskFold, options), options.clock);

/** Creates a task list on any kind of journal. */
export function createTaskList(
  journal: Journal<TaskState, TaskEntry, TaskChange, RefusedTask>,
  clock: Pick<Clock, "now">,
): TaskList {
  const now = () => new Date(clock.now()).toISOString();

  const write = async (entry: TaskEntry): Promise<TaskAnswer> => {
    assertSize(entry);
    const written = await journal.write(entry);
    if (!written.ok) return { ok: false, ...written.refusal };
    const { item, previous } = written.change;
    return { ok: true, item, previous };
  };

  const change = (id: number, patch: TaskPatch, by: TaskActor) => {
    const { name, generation } = by;
    const entry = { do: "change", by: name, at: now(), id, generation, patch: plain(patch), strict: true } as const;
    return write({ ...entry, ...claimerOf(id, by) });
  };

  /** Stores only the tools that the task needs. */
  const claimerOf = (id: number, { tools, holder }: TaskClaimer) => {
    const needs = journal.read().items.get(id)?.needs ?? [];
    return { can: tools && needs.filter((need) => tools.includes(need)), holder };
  };

  const create = (task: NewTask, by: TaskActor) =>
    write({
      do: "create",
      by: by.name,
      at: now(),
      subject: task.subject,
      description: task.description,
      activeForm: task.activeForm,
      owner: task.owner,
      blocks: [...(task.blocks ?? [])],
      blockedBy: [...(task.blockedBy ?? [])],
      needs: [...(task.needs ?? [])],
      acceptance: [...(task.acceptance ?? [])],
      metadata: withoutNulls(task.metadata ?? {}),
    });

  const releaseGone: TaskList["releaseGone"] = async (isGone) => {
    const released: WorkItem[] = [];
    const { items, holders } = await journal.fresh();
    for (const { id, owner, generation } of [...items.values()].filter(isOpenTask)) {
      if (owner === undefined) continue;
      const why = await isGone({ name: owner, holder: holders.get(id) });
      if (why === undefined) continue;
      const answer = await write({ do: "release", by: runtimeName, at: now(), id, of: owner, generation, why });
      if (answer.ok) released.push(answer.item);
    }
    return released;
  };

  return {
    create,
    get: async (id) => (await journal.fresh()).items.get(id),
    list: async () => [...(await journal.fresh()).items.values()].sort((a, b) => a.id - b.id),
    update: change,
    claim: async (id, by) => write({ do: "claim", by: by.name, at: now(), id, ...claimerOf(id, by) }),
    release: async (id, by, why) =>
      write({ do: "release", by: by.name, at: now(), id, generation: by.generation, why }),
    complete: (id, by) => change(id, { status: "completed" }, by),
    settle: (id, { generation, proof, detail }) =>
      write({ do: "settle", by: runtimeName, at: now(), id, generation, proof, detail }),
    delete: (id, by) => change(id, { status: "deleted" }, by),
    releaseGone,
    follow: journal.follow,
    history: journal.history,
    problems: journal.problems,
    close: journal.close,
  };
}

export const taskFold: JournalFold<TaskState, TaskEntry, TaskChange, RefusedTask> = {
  version: 1,
  entry: TaskEntry,
  empty: emptyTasks,
  snapshot: snapshotTasks,
  restore: restoreTasks,
  refusalOf: validateTaskEntry,
  apply: applyTask,
  difference,
};

function difference(before: TaskState, after: TaskState): TaskChange[] {
  const changes: TaskChange[] = [];
  for (const item of after.items.values()) {
    const old = before.items.get(item.id);
    if (old !== undefined && JSON.stringify(old) === JSON.stringify(item)) continue;
    const what = old === undefined ? "created" : "changed";
    changes.push({ what, by: runtimeName, at: item.updatedAt, item, ...(old && { previous: old }), freed: [] });
  }
  for (const item of before.items.values()) {
    if (after.items.has(item.id)) continue;
    const deleted: WorkItem = { ...item, status: "deleted" };
    changes.push({ what: "deleted", by: runtimeName, at: item.updatedAt, item: deleted, freed: [] });
  }
  return changes;
}

const Texts = z.object({
  subject: z.string().trim().min(1, "it is empty").max(500).optional(),
  description: z.string().max(65_536).optional(),
});
const maxBytes = 200_000;

function assertSize(entry: TaskEntry): void {
  const fields = entry.do === "create" ? entry : entry.do === "change" ? entry.patch : {};
  const texts = Texts.safeParse(fields);
  if (!texts.success) {
    const [issue] = texts.error.issues;
    throw new TroupeError("task", `The ${String(issue?.path[0])} of a task is invalid: ${issue?.message ?? ""}.`);
  }
  if (sizeOf(entry) <= maxBytes) return;
  throw new TroupeError(
    "task",
    `A task can have at most ${maxBytes} characters in total. Put the rest into a file and name it.`,
  );
}

function sizeOf(entry: TaskEntry): number {
  try {
    return JSON.stringify(entry).length;
  } catch (cause) {
    throw new TroupeError("task", "The metadata of a task must be plain JSON without cycles or very deep nesting.", {
      cause,
    });
  }
}

const plain = (patch: TaskPatch) => ({
  ...patch,
  addBlocks: patch.addBlocks && [...patch.addBlocks],
  addBlockedBy: patch.addBlockedBy && [...patch.addBlockedBy],
  acceptance: patch.acceptance && [...patch.acceptance],
  metadata: patch.metadata && { ...patch.metadata },
});

const withoutNulls = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
