import type { CreateId } from "../platform/index.ts";
import type { MailId } from "../protocol/index.ts";
import type { StoredTeam, TaskList } from "../store/index.ts";
import type { Mailbox, OutgoingMail } from "./mailbox/mailbox.ts";
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

/** Mail that what was written before it depends on. It is one mail, however often it is tried. */
export function patientSend(
  mailbox: Pick<Mailbox, "send">,
  { createId, ...room }: Room & { readonly createId: CreateId },
): (mail: OutgoingMail) => Promise<void> {
  return async (mail) => {
    const id = mail.id ?? createId<MailId>("mail");
    await whenRoom(() => mailbox.send({ ...mail, id }), room);
  };
}
