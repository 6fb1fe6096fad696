import { taskChangeNote, taskMails } from "../../agent/index.ts";
import { TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { TaskAnswer } from "../../store/index.ts";
import { isTaskMember, type TaskToolPorts } from "./task-tool-ports.ts";

/** Sends mail to all members that a change concerns, and returns a note about it for the author. */
export async function tellAboutTask(
  { item, previous }: Extract<TaskAnswer, { ok: true }>,
  { all, isReworded, ports }: { all: readonly WorkItem[]; isReworded?: boolean; ports: TaskToolPorts },
): Promise<string> {
  if (ports.team() === undefined) return "";
  const isMember = (name: string) => isTaskMember(name, ports);
  const facts = { item, previous, by: ports.memberName(), all, isReworded, isMember };
  const problems: string[] = [];
  for (const mail of taskMails(facts)) {
    try {
      await ports.notify(mail);
    } catch (error) {
      // The change is stored. Its author can still tell the member.
      if (!TroupeError.is(error)) throw error;
      problems.push(`${mail.to} could not be notified: ${error.message}`);
    }
  }
  return [taskChangeNote(facts), ...problems]
    .filter((note) => note !== "")
    .map((note) => ` ${note}`)
    .join("");
}
