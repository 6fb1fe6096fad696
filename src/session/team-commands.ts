import { type Ack, teamUser } from "../protocol/index.ts";
import type { TaskList } from "../store/index.ts";
import type { TeamCommand } from "./dispatch.ts";
import type { LedTeams } from "./led-teams.ts";

/** Carries out what the user asks of a team or a task list. Rejects with a TroupeError for what cannot be. */
export async function carryOutForTeam(
  command: TeamCommand,
  { led, tasks }: { readonly led: LedTeams; readonly tasks: (team: string | undefined) => Promise<TaskList> },
): Promise<Ack> {
  switch (command.type) {
    case "mail.send": {
      const { to, text, summary, urgent } = command;
      const team = command.team === undefined ? led.with(to) : led.get(command.team);
      const mail = {
        from: teamUser,
        text,
        ...(summary !== undefined && { summary }),
        ...(urgent !== undefined && { urgent }),
      };
      if (to === "*") await team.mailbox.broadcast(mail);
      else await team.mailbox.send({ ...mail, to });
      team.expect(to);
      return { ok: true };
    }
    case "member.interrupt":
      await led.get(command.team).interrupt(command.name);
      return { ok: true };
    case "member.stop": {
      const { now, reason } = command;
      const answer = await led.get(command.team).stop(command.name, { now, reason });
      if (answer.kind === "open")
        return {
          ok: false,
          code: "session_closed",
          message: `${command.name} had not answered when the session ended`,
        };
      if (answer.kind !== "rejected") return { ok: true };
      return { ok: false, code: "rejected", message: `${command.name} does not want to end: ${answer.reason}` };
    }
    case "member.respawn":
      await led.get(command.team).respawn(command.name);
      return { ok: true };
    case "member.set":
      await led.get(command.team).setMode(command.name, command.permissionMode);
      return { ok: true };
    case "task.create": {
      const { subject, description = "", blockedBy } = command;
      return ackOf(await (await tasks(command.team)).create({ subject, description, blockedBy }, { name: teamUser }));
    }
    case "task.update": {
      const { taskId, status, owner } = command;
      const list = await tasks(command.team);
      const done = await list.update(taskId, { status, owner }, { name: teamUser });
      if (!done.ok || status !== "completed" || done.item.acceptance.length === 0) return ackOf(done);
      // A person's word: its checks are not run, and what waits for it goes on.
      const detail = "the user said so; its checks were not run";
      return ackOf(await list.settle(taskId, { proof: "claimed", detail, generation: done.item.generation }));
    }
  }
}

const ackOf = (answer: Awaited<ReturnType<TaskList["create"]>>): Ack =>
  answer.ok ? { ok: true } : { ok: false, code: answer.reason, message: answer.message };
