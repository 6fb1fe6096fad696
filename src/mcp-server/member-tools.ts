import { currentProcess } from "../platform/index.ts";
import * as z from "zod";
import { type WorkItemId, teamLead } from "../protocol/index.ts";
import { acceptTask, createMemberMessageTool, createTaskTools } from "../team/index.ts";
import { defineTool, textResult, type Tool } from "../tool/index.ts";
import { createMailTools } from "./mail-tools.ts";
import type { MemberConnection, MemberConnectionOptions } from "./member-connection.ts";
import { createReservationTools } from "./reservation-tools.ts";

export interface MemberToolOptions extends Pick<MemberConnectionOptions, "clock" | "createId" | "onlySpeaksFor"> {
  /** Checks of tasks that it says are done are run, in its folder. */
  readonly runChecks: boolean;
  readonly env: Readonly<Record<string, string>>;
}

/** What an agent from outside works in a team with: the same tools for mail and tasks as any member, and what it needs besides. */
export function createMemberTools(connection: MemberConnection, options: MemberToolOptions): readonly Tool[] {
  const watchMail = options.onlySpeaksFor ? new Set(["Register", "WaitForMail"]) : new Set<string>();
  return [
    registerTool(connection),
    messageTool(connection),
    ...createMailTools(connection.member),
    ...taskTools(connection, options),
    ...createReservationTools(connection.member, () => options.clock.now()),
  ].filter(({ name }) => !watchMail.has(name));
}

function registerTool(connection: MemberConnection): Tool {
  return defineTool<{ name: string; about?: string | undefined }>({
    name: "Register",
    description: `Makes you a member of the team ${connection.team.name}, under a name that the others write to. Call it once, before anything else. Under a name that you had before you come back, and find the mail that has waited for you; a name that somebody else has gets a number.`,
    input: z.strictObject({
      name: z.string().trim().min(1).max(64).describe("Short: letters, digits and -"),
      about: z.string().trim().max(300).optional().describe("Who you are and what you can do, in a sentence"),
    }),
    access: "write",
    subject: () => ({ kind: "own" }),
    title: ({ name }) => `Register ${name}`,
    async execute({ name, about }) {
      const member = await connection.register(name, about);
      const waiting = await member.mailbox.readUnread(member.name);
      const others = connection.team.record
        .current()
        .members.filter((each) => each.name !== member.name && !each.ended);
      return textResult(
        `You are ${member.name} in the team ${connection.team.name}. With you are: ${others.map((each) => each.name).join(", ")}. ${waiting.length === 0 ? "No mail waits for you." : `${waiting.length} messages wait for you.`} Tell ${teamLead} that you are there, then call WaitForMail.`,
      );
    },
  });
}

function messageTool(connection: MemberConnection): Tool {
  const record = () => connection.team.record.current();
  return createMemberMessageTool({
    self: () => connection.member().id,
    memberName: () => connection.member().name,
    isLead: () => false,
    members: () => record().members,
    statusOf: (members) => connection.team.presence.statusOf(members),
    receipt: (to, id) => connection.member().mailbox.receipt(id, to.name),
    async send(to, { text, summary, urgent }) {
      const { mailbox, name } = connection.member();
      const extras = { ...(summary !== undefined && { summary }), ...(urgent !== undefined && { urgent }) };
      return (await mailbox.send({ from: name, to: to.name, text, ...extras })).id;
    },
    open: {
      shutdown: () => [...connection.member().mailHandover.shutdowns].map(([requestId, from]) => ({ requestId, from })),
      plan: () => [],
    },
    requestShutdown: () => Promise.reject(new Error("only a lead asks for that")),
    answerPlan: () => Promise.reject(new Error("only a lead answers that")),
    async answerShutdown({ requestId, approve, reason }) {
      const member = connection.member();
      const body = approve
        ? { kind: "shutdown_approved" as const, requestId }
        : { kind: "shutdown_rejected" as const, requestId, reason: reason ?? "" };
      await member.mailbox.send({ from: member.name, to: teamLead, body });
      member.mailHandover.shutdowns.delete(requestId);
      await member.mailHandover.acknowledge();
      if (approve) await member.leave("shutdown");
    },
  });
}

const checkTimeoutMs = 300_000;

function taskTools(connection: MemberConnection, { runChecks, env, clock }: MemberToolOptions): readonly Tool[] {
  const claims = new Map<WorkItemId, number>();
  return createTaskTools({
    list: async () => connection.team.tasks,
    memberName: () => connection.member().name,
    team: () => connection.team.name,
    members: () => connection.team.record.current().members.flatMap(({ name, ended }) => (ended ? [] : [name])),
    // What it does is in its own program's log, if that has one.
    record: async () => undefined,
    async assign({ id: taskId, subject, description }, to) {
      const { mailbox, name } = connection.member();
      const body = { kind: "task_assignment" as const, taskId, subject, description, assignedBy: name };
      await mailbox.send({ from: name, to, body, summary: `task #${taskId}` });
    },
    accept: (task, signal) =>
      acceptTask(task, {
        cwd: connection.member().cwd,
        env,
        processes: connection.member().processes,
        clock,
        timeoutMs: checkTimeoutMs,
        signal,
        // Whoever wrote the task may be anybody, and nobody is asked here.
        refuse: async () => (runChecks ? undefined : "this server was started without --run-checks"),
      }),
    // Nobody knows which tools it has: that is for it to say.
    capable: () => [],
    holder: currentProcess(),
    claims,
  });
}
