import { assignmentMail, taskMails } from "../../agent/index.ts";
import { keptOwner, type Member, teamUser, TroupeError } from "../../protocol/index.ts";
import type { TaskActor, TaskAnswer, TaskList, TaskPatch } from "../../store/index.ts";
import { findSender, memberOf, unknownMember } from "./find-member.ts";
import type { OutgoingMail } from "./mailbox.ts";

export interface AssignPorts {
  readonly team: string;
  readonly members: () => Promise<readonly Member[]>;
  /** Waits while the disk is full, because the task is already assigned. */
  readonly send: (mail: OutgoingMail) => Promise<void>;
}

/** Wraps a task list so that assigning a task requires a running member, and all that a change concerns get mail. */
export function withAssignmentMail(tasks: TaskList, ports: AssignPorts): TaskList {
  /** Calls `write` with the member's name. Writes nothing if no such member exists. */
  const assign = async (wanted: string, by: TaskActor, write: (owner: string) => Promise<TaskAnswer>) => {
    const owner = ownerFor(wanted, by, { team: ports.team, members: await ports.members() });
    return typeof owner === "string" ? write(owner) : owner;
  };

  const membership = async () => {
    const names = new Set((await ports.members()).flatMap(({ name, ended }) => (ended ? [] : [name])));
    return (name: string) => names.has(name);
  };

  /** Assigning a pending task again sends the mail again, because the first mail may be lost. */
  const tell = async ({ item, previous }: Extract<TaskAnswer, { ok: true }>, by: TaskActor, patch: TaskPatch) => {
    const isMember = await membership();
    const isReworded = patch.subject !== undefined || patch.description !== undefined;
    const facts = { item, previous, by: by.name, all: await tasks.list(), isMember, isReworded };
    const { owner } = item;
    const isRepeated = owner !== undefined && owner === patch.owner && owner === previous?.owner;
    const isToTell =
      isRepeated &&
      item.status === "pending" &&
      previous?.status !== "completed" &&
      owner !== by.name &&
      isMember(owner);
    const mails = [...taskMails(facts), ...(isToTell ? [assignmentMail(facts)] : [])];
    for (const mail of mails) await ports.send({ from: by.name, ...mail });
  };

  const told = async (answer: TaskAnswer, by: TaskActor): Promise<TaskAnswer> => {
    if (answer.ok) await tell(answer, by, {});
    return answer;
  };

  return {
    ...tasks,
    async create(task, by) {
      if (task.owner === undefined) return tasks.create(task, by);
      return assign(task.owner, by, async (owner) => {
        const answer = await tasks.create({ ...task, owner }, by);
        if (answer.ok) await tell(answer, by, { owner });
        return answer;
      });
    },
    async update(id, patch, by) {
      const write = async (owner: string | null | undefined) => {
        const changed = owner === undefined ? patch : { ...patch, owner };
        const answer = await tasks.update(id, changed, by);
        if (answer.ok) await tell(answer, by, changed);
        return answer;
      };
      if (typeof patch.owner === "string") return assign(patch.owner, by, write);
      const task = await tasks.get(id);
      const isMember = await membership();
      const kept = task && keptOwner(task, patch, (name) => name === teamUser || isMember(name));
      return write(kept ?? patch.owner);
    },
    release: async (id, by, why) => told(await tasks.release(id, by, why), by),
    complete: async (id, by) => told(await tasks.complete(id, by), by),
    delete: async (id, by) => told(await tasks.delete(id, by), by),
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
