import { type Member, teamUser, TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { TaskActor, TaskAnswer, TaskList } from "../../store/index.ts";
import { findSender, memberOf, unknownMember } from "../mailbox/find-member.ts";
import type { OutgoingMail } from "../mailbox/mailbox.ts";

export interface AssignPorts {
  readonly team: string;
  readonly members: () => Promise<readonly Member[]>;
  /** Waits while the disk is full, because the task is already assigned. */
  readonly send: (mail: OutgoingMail) => Promise<void>;
  /** Called after a mail to this member is sent. */
  readonly onMailSent?: ((name: string) => void) | undefined;
}

/** Wraps a task list so that assigning a task requires a running member and sends it a mail. */
export function withAssignmentMail(tasks: TaskList, ports: AssignPorts): TaskList {
  /** Calls `write` with the member's name. Writes nothing if no such member exists. */
  const assign = async (wanted: string, by: TaskActor, write: (owner: string) => Promise<TaskAnswer>) => {
    const owner = ownerFor(wanted, by, { team: ports.team, members: await ports.members() });
    return typeof owner === "string" ? write(owner) : owner;
  };

  /** Assigning a pending task again sends the mail again, because the first mail may be lost. */
  const sendAssignment = async (task: WorkItem, by: TaskActor, before: string | undefined) => {
    const { id: taskId, owner, subject, description, status } = task;
    if (owner === undefined || owner === by.name || owner === teamUser) return;
    if (status !== "pending" && (status !== "in_progress" || owner === before)) return;
    const body = { kind: "task_assignment" as const, taskId, subject, description, assignedBy: by.name };
    await ports.send({ from: by.name, to: owner, body, summary: `task #${taskId}` });
    ports.onMailSent?.(owner);
  };

  return {
    ...tasks,
    async create(task, by) {
      if (task.owner === undefined) return tasks.create(task, by);
      return assign(task.owner, by, async (owner) => {
        const answer = await tasks.create({ ...task, owner }, by);
        if (answer.ok) await sendAssignment(answer.item, by, undefined);
        return answer;
      });
    },
    async update(id, patch, by) {
      if (typeof patch.owner !== "string") return tasks.update(id, patch, by);
      return assign(patch.owner, by, async (owner) => {
        const before = (await tasks.get(id))?.owner;
        const answer = await tasks.update(id, { ...patch, owner }, by);
        if (answer.ok) await sendAssignment(answer.item, by, before);
        return answer;
      });
    },
  };
}

interface TeamMembers {
  readonly team: string;
  readonly members: readonly Member[];
}

function ownerFor(wanted: string, by: TaskActor, teamMembers: TeamMembers): string | TaskAnswer {
  const member = memberOf(wanted, teamMembers.members);
  if (member?.ended !== undefined) {
    return refusal(
      `Cannot assign a task to ${member.name}: it has ended (${member.ended.reason}). Choose another member.`,
    );
  }
  const owner = member?.name ?? (wanted === teamUser ? teamUser : undefined);
  if (owner === undefined) return refusal(unknownMember(wanted, teamMembers).message);
  return owner === by.name || owner === teamUser ? owner : (senderProblem(by, teamMembers) ?? owner);
}

/** The sender must be a member that can send mail. */
function senderProblem(by: TaskActor, teamMembers: TeamMembers): TaskAnswer | undefined {
  try {
    findSender(by.name, teamMembers);
    return undefined;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return refusal(error.message);
  }
}

const refusal = (message: string): TaskAnswer => ({ ok: false, reason: "nobody", message });
