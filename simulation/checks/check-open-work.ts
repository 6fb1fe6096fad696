import type { RunRecord } from "../world/run-scenario.ts";
import { endedWell, type Fault } from "./agent-log.ts";

/** The result names every open task, and no other. No task is begun or completed before the tasks that block it. */
export function checkOpenWork(record: RunRecord): Fault[] {
  return [...unnamedTasks(record), ...takenTooEarly(record)];
}

function unnamedTasks(record: RunRecord): Fault[] {
  if (!endedWell(record)) return [];
  const named = (record.processes.at(-1)?.result?.open_tasks ?? []).map(({ id }) => id);
  const open = record.teams
    .filter(({ isDeleted }) => !isDeleted)
    .flatMap(({ changes }) => [...new Map(changes.map(({ item }) => [item.id, item])).values()])
    .flatMap(({ id, status }) => (status === "pending" || status === "in_progress" ? [id] : []));
  const wrong = [...open.filter((id) => !named.includes(id)), ...named.filter((id) => !open.includes(id))];
  if (wrong.length === 0) return [];
  const message = `open tasks are ${list(open)}, the result names ${list(named)}`;
  return [{ rule: "open work", at: record.virtualMs, message }];
}

const list = (ids: readonly number[]) => (ids.length === 0 ? "none" : ids.map((id) => `#${id}`).join(", "));

function takenTooEarly({ teams, virtualMs }: RunRecord): Fault[] {
  return teams.flatMap(({ changes }) => {
    const status = new Map<number, string>();
    return changes.flatMap(({ item }): Fault[] => {
      const before = status.get(item.id);
      status.set(item.id, item.status);
      const open = item.blockedBy.filter((id) => !isOver(status.get(id)));
      const isTaken = item.status === "completed" || item.status === "in_progress";
      return isTaken && item.status !== before && open.length > 0
        ? [{ rule: "open work", at: virtualMs, message: `#${item.id} is ${item.status} before ${list(open)}` }]
        : [];
    });
  });
}

const isOver = (status: string | undefined) => status === undefined || status === "completed" || status === "deleted";
