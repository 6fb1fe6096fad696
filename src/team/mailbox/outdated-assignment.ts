import { outdatedAssignmentNote } from "../../agent/index.ts";
import { type Mail, TroupeError } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";

/**
 * A note on the mail of an assignment that no longer holds: the member was away, and its task was released, given away or
 * finished. Undefined if it holds, or if the list cannot be read.
 */
export async function outdatedAssignment(
  { body }: Pick<Mail, "body">,
  { team, name }: { readonly team: Pick<StoredTeam, "tasks">; readonly name: string },
): Promise<string | undefined> {
  if (body.kind !== "task_assignment") return undefined;
  try {
    const task = await team.tasks.get(body.taskId);
    return outdatedAssignmentNote(body.taskId, { task, reader: name });
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}
