import { type ChunkedList, itemAt } from "../lists/chunked-list.ts";
import type { CallItem, TranscriptItem } from "./transcript-item.ts";

/** Consecutive calls that are shown as one line: files and searches, or changes of the task list. */
export interface CallGroup {
  readonly kind: "look" | "tasks";
  readonly start: number;
  /** The index after the last call. */
  readonly end: number;
}

/** Returns the kind of group that an item can belong to. A call that failed stands alone. */
export function groupKind(item: TranscriptItem | undefined): CallGroup["kind"] | undefined {
  if (item?.kind !== "call" || item.state === "failed" || item.state === "denied" || item.state === "interrupted")
    return undefined;
  return kinds[item.name];
}

const kinds: Readonly<Record<string, CallGroup["kind"]>> = {
  Read: "look",
  Grep: "look",
  Glob: "look",
  TaskCreate: "tasks",
  TaskUpdate: "tasks",
  TaskGet: "tasks",
  TaskList: "tasks",
};

/** Returns the group that contains an item. `from` is the first item that counts. A single look stands alone. */
export function groupAt(list: ChunkedList<TranscriptItem>, index: number, from = 0): CallGroup | undefined {
  const kind = groupKind(itemAt(list, index));
  if (kind === undefined) return undefined;
  let [start, end] = [index, index + 1];
  while (start > from && groupKind(itemAt(list, start - 1)) === kind) start -= 1;
  while (groupKind(itemAt(list, end)) === kind) end += 1;
  return kind === "look" && end - start === 1 ? undefined : { kind, start, end };
}

/** Counts the calls of a group in words: `3 files read, 1 search`, `2 tasks added, 1 done`. */
export function groupText(calls: readonly CallItem[]): string {
  const files = new Set(calls.filter(({ name }) => name === "Read").map(({ input, title }) => pathOf(input) ?? title));
  const searches = calls.filter(({ name }) => name === "Grep" || name === "Glob").length;
  const added = calls.filter(({ name }) => name === "TaskCreate").length;
  const states = calls.filter(({ name }) => name === "TaskUpdate").map(({ input }) => statusOf(input));
  const count = (state: string) => states.filter((each) => each === state).length;
  const [started, done] = [count("in_progress"), count("completed")];
  const changed = states.length - started - done;
  const parts = [
    ...(files.size > 0 ? [`${plural(files.size, "file")} read`] : []),
    ...(searches > 0 ? [plural(searches, "search", "searches")] : []),
    ...(added > 0 ? [`${plural(added, "task")} added`] : []),
    ...(started > 0 ? [`${plural(started, "task")} started`] : []),
    ...(done > 0 ? [`${plural(done, "task")} done`] : []),
    ...(changed > 0 ? [`${plural(changed, "task")} changed`] : []),
  ];
  return parts.join(", ");
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const pathOf = (input: unknown): string | undefined => stringIn(input, "file_path");
const statusOf = (input: unknown): string | undefined => stringIn(input, "status");

function stringIn(input: unknown, name: string): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}
