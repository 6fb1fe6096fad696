import type { StoredTeam, TaskList } from "../store/index.ts";
import { type Room, whenRoom } from "./when-room.ts";

type Files = Pick<StoredTeam, "record" | "tasks">;

/**
 * A team's record and tasks for the runtime: what it writes there waits while the disk is full, and breaks nobody. What
 * models write is not meant by this; they are told at once.
 */
export function patientTeam<T extends Files>(team: T, room: Room): T {
  const { record, tasks } = team;
  return {
    ...team,
    record: {
      ...record,
      join: (member) => whenRoom(() => record.join(member), room),
      change: (name, patch) => whenRoom(() => record.change(name, patch), room),
      end: (name, ended) => whenRoom(() => record.end(name, ended), room),
      changeTeam: (patch) => whenRoom(() => record.changeTeam(patch), room),
      allowPath: (path) => whenRoom(() => record.allowPath(path), room),
    },
    tasks: patientTasks(tasks, room),
  };
}

export const patientTasks = (tasks: TaskList, room: Room): TaskList => ({
  ...tasks,
  claim: (id, claimer) => whenRoom(() => tasks.claim(id, claimer), room),
  releaseGone: (whyGone) => whenRoom(() => tasks.releaseGone(whyGone), room),
});
