import { currentProcess } from "../platform/index.ts";
import * as z from "zod";
import { type WorkItemId, teamLead } from "../protocol/index.ts";
import { acceptTask, createMemberMessageTool, createTaskTools } from "../team/index.ts";
import { defineTool, textResult, type Tool } from "../tool/index.ts";
import { createMailTools } from "./mail-tools.ts";
import type { MemberConnection, MemberConnectionOptions } from "./member-connection.ts";
import { createReservationTools } from "./reservation-tools.ts";

export interface MemberToolOptions extends Pick<MemberConnectionOptions, "clock" | "createId" | "onlySpeaksFor"> {
  /** Runs the checks of tasks that the member completes, in its folder. */
  readonly runChecks: boolean;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates the tools of an external member: the mail and task tools of any member, and Register and the reservation
 * tools.
 */
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
    description: `Makes you a member of the team ${connection.team.name}, with a name that the others send mail to. Call it once, before anything else. With your earlier name you come back and find the mail that was kept for you. If another member has the name, a number is added.`,
    input: z.strictObject({
      name: z.string().trim().min(1).max(64).describe("Short: letters, digits and -"),
      about: z.string().trim().max(300).optional().describe("Who you are and what you can do, in one sentence"),
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
        `You are ${member.name} in the team ${connection.team.name}. Other members: ${others.map((each) => each.name).join(", ")}. ${waiting.length === 0 ? "You have no mail." : `You have ${waiting.length} unread messages.`} Tell ${teamLead} that you have joined, then call WaitForMail.`,
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
    linkTo: () => {
      const { mailbox, name } = connection.member();
      return {
        send: async (mail) => (await mailbox.send({ ...mail, from: name })).id,
        receipt: (id, to) => mailbox.receipt(id, to),
      };
    },
    open: {
      shutdown: () => [...connection.member().mailHandover.shutdowns].map(([requestId, from]) => ({ requestId, from })),
      plan: () => [],
    },
    requestShutdown: () => Promise.reject(new Error("only a lead can request a shutdown")),
    answerPlan: () => Promise.reject(new Error("only a lead can answer a plan")),
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
    members: () => connection.team.record.current().members,
    // An external program keeps its own log, if any.
    record: async () => undefined,
    async notify(mail) {
      const { mailbox, name } = connection.member();
      await mailbox.send({ from: name, ...mail });
    },
    accept: (task, signal) =>
      acceptTask(task, {
        cwd: connection.member().cwd,
        env,
        processes: connection.member().processes,
        clock,
        timeoutMs: checkTimeoutMs,
        signal,
        // Anyone may have written the task, and no user can be asked here.
        refuse: async () => (runChecks ? undefined : "this server was started without --run-checks"),
      }),
    // Troupe does not know which tools the external program has.
    capable: () => [],
    holder: currentProcess(),
    claims,
  });
}
