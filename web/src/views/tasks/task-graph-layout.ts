import type { WorkItem } from "../../../../src/protocol/index.ts";

export interface PlacedTask {
  readonly task: WorkItem;
  readonly x: number;
  readonly y: number;
}

export interface TaskLine {
  readonly id: string;
  readonly from: PlacedTask;
  readonly to: PlacedTask;
}

export interface TaskGraphLayout {
  readonly tasks: readonly PlacedTask[];
  readonly lines: readonly TaskLine[];
  readonly width: number;
  readonly height: number;
}

export const taskBox = { width: 224, height: 76 } as const;
const gap = { x: 64, y: 20 } as const;

/** Places each task to the right of everything that it waits for. */
export function layOutTasks(all: readonly WorkItem[]): TaskGraphLayout {
  const tasks = all.filter(({ status }) => status !== "deleted");
  const known = new Map(tasks.map((task) => [task.id, task]));
  const depths = new Map<number, number>();
  const depthOf = (id: number, path: ReadonlySet<number>): number => {
    const found = depths.get(id);
    if (found !== undefined) return found;
    // A loop of dependencies cannot be created, but a damaged list must not hang the page.
    const before = (known.get(id)?.blockedBy ?? []).filter((other) => known.has(other) && !path.has(other));
    const depth = Math.max(0, ...before.map((other) => 1 + depthOf(other, new Set(path).add(id))));
    depths.set(id, depth);
    return depth;
  };
  const columns = new Map<number, number>();
  const placed = tasks.map((task): PlacedTask => {
    const column = depthOf(task.id, new Set());
    const row = columns.get(column) ?? 0;
    columns.set(column, row + 1);
    return { task, x: column * (taskBox.width + gap.x), y: row * (taskBox.height + gap.y) };
  });
  const byId = new Map(placed.map((each) => [each.task.id, each]));
  const lines = placed.flatMap((to) =>
    to.task.blockedBy.flatMap((id): TaskLine[] => {
      const from = byId.get(id);
      return from ? [{ id: `${id} ${to.task.id}`, from, to }] : [];
    }),
  );
  return {
    tasks: placed,
    lines,
    width: Math.max(0, ...placed.map(({ x }) => x + taskBox.width)),
    height: Math.max(0, ...placed.map(({ y }) => y + taskBox.height)),
  };
}
