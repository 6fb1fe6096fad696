import { definedFields } from "../../platform/index.ts";
import { type Ack, keptOwner, teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import { withAssignmentMail } from "../../team/index.ts";
import type { TeamCommand } from "../dispatch.ts";
import type { TeamRegistry } from "./team-registry.ts";

/** Runs a user's command for a team or a task list. Rejects with a TroupeError if it is not possible. */
export async function dispatchTeamCommand(
  command: TeamCommand,
  {
    registry,
    tasks,
  }: { readonly registry: TeamRegistry; readonly tasks: (team: string | undefined) => Promise<TaskList> },
): Promise<Ack> {
  switch (command.type) {
    case "mail.send": {
      const { to, text, summary, urgent } = command;
      const team = command.team === undefined ? registry.with(to) : registry.get(command.team);
      const mail = { from: teamUser, text, ...definedFields({ summary, urgent }) };
      if (to === "*") await team.mailbox.broadcast(mail);
      else await team.mailbox.send({ ...mail, to });
      return { ok: true };
    }
    case "member.interrupt":
      await registry.get(command.team).interrupt(command.name);
      return { ok: true };
    case "member.stop": {
      const { now, reason } = command;
      const answer = await registry.get(command.team).stop(command.name, { now, reason });
      if (answer.kind === "open")
        return {
          ok: false,
          code: "session_closed",
          message: `${command.name} had not answered when the session closed`,
        };
      if (answer.kind !== "rejected") return { ok: true };
      return { ok: false, code: "rejected", message: `${command.name} refused to shut down: ${answer.reason}` };
    }
    case "member.respawn":
      await registry.get(command.team).respawn(command.name);
      return { ok: true };
    case "member.set":
      await registry.get(command.team).setMode(command.name, command.permissionMode);
      return { ok: true };
    case "task.create": {
      const { subject, description = "", blockedBy } = command;
      return ackOf(await (await tasks(command.team)).create({ subject, description, blockedBy }, { name: teamUser }));
    }
    case "task.update": {
      const { taskId, status } = command;
      const { list, owner } = await taskListFor(command, { registry, tasks });
      const done = await list.update(taskId, { status, owner }, { name: teamUser });
      if (!done.ok || status !== "completed" || done.item.acceptance.length === 0) return ackOf(done);
      // The user's decision replaces the checks, and blocked tasks can start.
      const detail = "completed by the user; its checks were not run";
      return ackOf(await list.settle(taskId, { proof: "claimed", detail, generation: done.item.generation }));
    }
  }
}

/** Returns the task list and the owner to assign. The session's own list has only the lead and the user. */
async function taskListFor(
  { team: name, taskId, status, owner }: Extract<TeamCommand, { type: "task.update" }>,
  { registry, tasks }: Parameters<typeof dispatchTeamCommand>[1],
) {
  const list = await tasks(name);
  const team = name === undefined ? registry.find() : registry.get(name);
  if (team === undefined) {
    const task = await list.get(taskId);
    const kept = task && keptOwner(task, { status, owner }, () => true);
    return { list, owner: owner === undefined ? kept : ownTaskOwner(owner) };
  }
  const members = async () => team.current().members;
  return { list: withAssignmentMail(list, { team: team.name, members, send: team.send }), owner };
}

function ownTaskOwner(name: string): string {
  if (name === teamUser) return name;
  if (name === teamLead || name === "lead") return "lead";
  throw new TroupeError(
    "team",
    `Cannot assign the task to ${JSON.stringify(name.slice(0, 100))}: this is the session's own task list. Use lead or ${teamUser}.`,
  );
}

const ackOf = (answer: Awaited<ReturnType<TaskList["create"]>>): Ack =>
  answer.ok ? { ok: true } : { ok: false, code: answer.reason, message: answer.message };
