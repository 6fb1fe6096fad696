import { createFolderWatcher, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openTaskList, type TaskList } from "../../../src/store/index.ts";

/** A task list in a file, with all its dependencies. */
export function openList(
  path: string,
  options: { limitBytes?: number; durability?: "disk" | "process" } = {},
): TaskList {
  const watcher = createFolderWatcher({ rescanMs: 50 });
  const list = openTaskList({ path, watcher, clock: systemClock, createId: createIdFactory(systemClock), ...options });
  const close = async () => {
    await list.close();
    watcher.close();
  };
  return { ...list, close };
}
