import { readFileSync, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  type FolderWatcher,
  ifPresentSync,
  makeFolder,
  storageError,
  writeFileAtomic,
} from "../../platform/index.ts";
import { parseJson, TroupeError, type WorkItemId } from "../../protocol/index.ts";
import { createChangeFeed } from "../team/journal/change-feed.ts";
import type { Journal } from "../team/journal/journal.ts";
import type { RefusedTask } from "../team/tasks/validate-task-entry.ts";
import type { TaskEntry } from "../team/tasks/task-entry.ts";
import type { TaskChange } from "../team/tasks/task-list.ts";
import { taskFold } from "../team/tasks/journal-task-list.ts";
import { emptyTasks, putItem, type TaskState } from "../team/tasks/task-list-state.ts";
import type { SharedJson } from "./shared-json.ts";
import { changesBetween, type SeenTasks } from "./task-changes.ts";
import { formatTask, parseTask, type ReadTask } from "./task-file.ts";

export interface TaskJournalOptions {
  /** Their folder: `N.json` for each task, and `.lock`. */
  readonly folder: string;
  /** Our file with the highest number ever used: their files forget it when the task is deleted. */
  readonly numbers: string;
  /** Throws `storage` when the team no longer exists. */
  readonly assertThere: () => void;
  readonly json: SharedJson;
  readonly clock: Clock;
  readonly watcher: FolderWatcher;
}

/** The task list over their files. Every read reads all files; every change runs under the lock. */
export function openTaskJournal(options: TaskJournalOptions): Journal<TaskState, TaskEntry, TaskChange, RefusedTask> {
  const { folder, json, watcher } = options;
  const lock = join(folder, ".lock");
  const pathOf = (id: WorkItemId) => join(folder, `${id}.json`);
  const troubles = new Map<string, string>();

  const readAll = (): Map<WorkItemId, ReadTask> => {
    const tasks = new Map<WorkItemId, ReadTask>();
    for (const name of namesIn(folder)) {
      const number = /^(\d{1,15})\.json$/.exec(name)?.[1];
      if (number === undefined) continue;
      const path = join(folder, name);
      const text = textOf(path);
      if (text === undefined) continue;
      const task = parseTask(parseJson(text));
      if (task === undefined || task.item.id !== Number(number)) troubles.set(path, `${path} is not a task`);
      else if (task.item.status !== "deleted") tasks.set(task.item.id, task);
      if (task !== undefined) troubles.delete(path);
    }
    return tasks;
  };

  const stateOf = (tasks: ReadonlyMap<WorkItemId, ReadTask>): TaskState => {
    const state = emptyTasks();
    for (const { item, holder } of [...tasks.values()].sort((a, b) => a.item.id - b.item.id)) {
      const known = (ids: readonly WorkItemId[]) => ids.filter((id) => tasks.has(id));
      putItem(state, { ...item, blocks: known(item.blocks), blockedBy: known(item.blockedBy) }, holder);
    }
    // Their files may name an edge on one side only.
    for (const item of state.items.values()) {
      for (const id of item.blocks) repairEdge(state, id, { blockedBy: item.id });
      for (const id of item.blockedBy) repairEdge(state, id, { blocks: item.id });
    }
    state.nextId = Math.max(0, ...numbersIn(folder), Number(textOf(options.numbers) ?? 0)) + 1;
    return state;
  };

  const seenTasks = (tasks: SeenTasks["tasks"]): SeenTasks => ({ tasks, state: stateOf(tasks) });

  const read = (): TaskState => stateOf(readAll());

  const write = async (entry: TaskEntry) => {
    options.assertThere();
    await makeFolder(folder);
    await touch(lock);
    const written = await json.locked(lock, async (files) => {
      options.assertThere();
      await setAsideDamaged(files.read);
      const tasks = readAll();
      const state = stateOf(tasks);
      const before = new Map(state.items);
      const refusal = taskFold.refusalOf(state, entry);
      if (refusal !== undefined) return { ok: false as const, refusal };
      const change = taskFold.apply(state, entry);
      await writeFileAtomic(options.numbers, String(state.nextId - 1));
      // Write the entry's own task last: once it is written, the whole change has happened.
      const changed = [...state.items.values()].filter((item) => before.get(item.id) !== item);
      for (const item of changed.sort((a) => (a.id === change.item.id ? 1 : -1))) {
        const holder = state.holders.get(item.id);
        await files.write(pathOf(item.id), formatTask(item, { holder, before: tasks.get(item.id), change }));
      }
      if (!state.items.has(change.item.id)) await files.remove(pathOf(change.item.id));
      return { ok: true as const, change };
    });
    refresh();
    return written;
  };

  /** Under the lock no other program writes, so a file that is not JSON is damaged. */
  const setAsideDamaged = async (readFile: (path: string) => Promise<unknown>) => {
    for (const path of troubles.keys())
      if (namesIn(folder).includes(path.slice(folder.length + 1))) await readFile(path);
  };

  let told: ReadonlyMap<WorkItemId, ReadTask> | undefined;
  const refresh = () => {
    const now = readAll();
    const before = told;
    told = now;
    if (before === undefined) return;
    const at = new Date(options.clock.now()).toISOString();
    for (const change of changesBetween(seenTasks(before), seenTasks(now), at)) feed.push(change);
  };

  const feed = createChangeFeed<TaskChange>({
    watch: (onHint) => watcher.followFolder(folder, onHint),
    hold: watcher.hold,
    refresh: () => {
      try {
        refresh();
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        feed.fail(error);
      }
    },
  });

  return {
    read,
    fresh: async () => {
      options.assertThere();
      return read();
    },
    write,
    follow: feed.follow,
    history: async () => [...taskFold.difference(emptyTasks(), read())],
    problems: () => [...troubles.values()],
    close: async () => feed.close(),
  };
}

function repairEdge(state: TaskState, id: WorkItemId, edge: { blocks?: WorkItemId; blockedBy?: WorkItemId }): void {
  const item = state.items.get(id);
  if (item === undefined) return;
  const { blocks, blockedBy } = edge;
  const isThere = blocks === undefined || item.blocks.includes(blocks);
  const isHere = blockedBy === undefined || item.blockedBy.includes(blockedBy);
  if (isThere && isHere) return;
  const more = {
    blocks: isThere || blocks === undefined ? item.blocks : [...item.blocks, blocks],
    blockedBy: isHere || blockedBy === undefined ? item.blockedBy : [...item.blockedBy, blockedBy],
  };
  putItem(state, { ...item, ...more }, state.holders.get(id));
}

function namesIn(folder: string): string[] {
  return ifPresentSync(() => readdirSync(folder), { action: "read the folder", path: folder }) ?? [];
}

/** Includes damaged files: their numbers are used. */
const numbersIn = (folder: string): number[] =>
  namesIn(folder).flatMap((name) => {
    const number = /^(\d{1,15})\.json/.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });

function textOf(path: string): string | undefined {
  return ifPresentSync(() => readFileSync(path, "utf8"), { action: "read", path });
}

async function touch(path: string): Promise<void> {
  try {
    await (await open(path, "a")).close();
  } catch (error) {
    throw storageError("make", path, error);
  }
}
