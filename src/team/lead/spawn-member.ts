import { assignmentMail } from "../../agent/index.ts";
import { type Member, messageOf, openBlockersOf } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { adoptReservedTasks } from "./adopt-reserved-tasks.ts";
import type { LeadContext, LeadTeamOptions } from "./lead-context.ts";
import type { LeadTeam, SpawnedTeammate, TeammateRequest } from "./lead-team.ts";
import type { LeadParts } from "./connect-lead.ts";

export type SpawnPorts = Pick<LeadParts, "sender" | "lifecycle" | "ceiling" | "ends">;

/** Starts new members. A repeated call returns the member that it started. */
export function createSpawns(
  { backends, permissions }: Pick<LeadTeamOptions, "backends" | "permissions">,
  { team, warn }: LeadContext,
  { sender, lifecycle, ceiling, ends }: SpawnPorts,
): LeadTeam["spawn"] {
  const spawn = async (request: TeammateRequest): Promise<SpawnedTeammate> => {
    const { worktree, backend, description, ...entry } = request;
    const choice = backend ? { type: backend, notice: undefined } : await backends.choose();
    const notices = choice.notice === undefined ? [] : [choice.notice];
    const { member, isNew } = await team.record.join({
      ...entry,
      backendType: choice.type,
      ...(worktree && { worktreePath: worktree.path, worktreeBranch: worktree.branch }),
    });
    if (!isNew && (lifecycle.isRunning(member.name) || member.ended)) return { member, isNew, notices };
    try {
      const adopted = await adoptReservedTasks(member, team);
      const capped = await ceiling.limitNewMember(member, permissions.mode());
      await sender.send({ to: member.name, text: request.prompt, ...(description && { summary: description }) });
      await sendBlockedTasks(member, team, sender);
      return { member: await lifecycle.start(capped), isNew, notices: [...notices, ...adopted] };
    } catch (error) {
      const detail = messageOf(error);
      // The caller gets the error.
      ends.isToldOtherwise(member.name);
      await team.record
        .end(member.name, { reason: "failed", detail })
        .catch((cause: unknown) => warn(`cannot record that ${member.name} has failed: ${messageOf(cause)}`));
      throw error;
    }
  };

  const underWay = new Map<string, Promise<SpawnedTeammate>>();
  return async (request) => {
    // The same call, repeated before it got its answer.
    const call = `${request.startedBy} ${request.callId}`;
    const known = underWay.get(call);
    if (known) return { ...(await known), isNew: false };
    const spawned = spawn(request).finally(() => underWay.delete(call));
    underWay.set(call, spawned);
    return spawned;
  };
}

/** A member begins its own task with its first turn, unless the task is blocked: then it reads that with its prompt. */
async function sendBlockedTasks(
  { name }: Pick<Member, "name">,
  { tasks }: Pick<StoredTeam, "tasks">,
  sender: Pick<MailSender, "send">,
): Promise<void> {
  const all = await tasks.list();
  for (const item of all.filter((each) => each.owner === name && openBlockersOf(each, all).length > 0)) {
    const { summary, body, wakes } = assignmentMail({ item, by: item.createdBy, all });
    await sender.send({ to: name, body, summary, wakes });
  }
}
