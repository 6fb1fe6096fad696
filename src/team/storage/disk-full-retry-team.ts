import type { CreateId } from "../../platform/index.ts";
import type { MailId } from "../../protocol/index.ts";
import type { StoredTeam, TaskList } from "../../store/index.ts";
import type { Mailbox, OutgoingMail } from "../mailbox/mailbox.ts";
import { type RetryContext, retryWhileDiskFull } from "./retry-while-disk-full.ts";

type TeamFiles = Pick<StoredTeam, "record" | "tasks">;

/**
 * A team's record and tasks for the runtime: its writes wait while the disk is full instead of failing. Model writes do
 * not use this: they fail at once.
 */
export function withDiskFullRetry<T extends TeamFiles>(team: T, retry: RetryContext): T {
  const { record, tasks } = team;
  return {
    ...team,
    record: {
      ...record,
      join: (member) => retryWhileDiskFull(() => record.join(member), retry),
      change: (name, patch) => retryWhileDiskFull(() => record.change(name, patch), retry),
      end: (name, ended) => retryWhileDiskFull(() => record.end(name, ended), retry),
      changeTeam: (patch) => retryWhileDiskFull(() => record.changeTeam(patch), retry),
      allowPath: (path) => retryWhileDiskFull(() => record.allowPath(path), retry),
    },
    tasks: tasksWithDiskFullRetry(tasks, retry),
  };
}

export const tasksWithDiskFullRetry = (tasks: TaskList, retry: RetryContext): TaskList => ({
  ...tasks,
  claim: (id, claimer) => retryWhileDiskFull(() => tasks.claim(id, claimer), retry),
  update: (id, patch, actor) => retryWhileDiskFull(() => tasks.update(id, patch, actor), retry),
  releaseGone: (whyGone) => retryWhileDiskFull(() => tasks.releaseGone(whyGone), retry),
});

/** Sends mail that earlier writes depend on. All tries use one mail id. */
export function sendWithDiskFullRetry(
  mailbox: Pick<Mailbox, "send">,
  { createId, ...retry }: RetryContext & { readonly createId: CreateId },
): (mail: OutgoingMail) => Promise<void> {
  return async (mail) => {
    const id = mail.id ?? createId<MailId>("mail");
    await retryWhileDiskFull(() => mailbox.send({ ...mail, id }), retry);
  };
}
