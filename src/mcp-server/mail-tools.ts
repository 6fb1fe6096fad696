import * as z from "zod";
import { memberMail } from "../agent/index.ts";
import { type MailId, TroupeError, visibleLine } from "../protocol/index.ts";
import type { ReceivedMail } from "../team/index.ts";
import { defineTool, failedResult, textResult, type Tool } from "../tool/index.ts";
import type { ExternalMember } from "./external-member.ts";

const own = () => ({ kind: "own" as const });

/** What an agent from outside hears its team with. */
export function createMailTools(member: () => ExternalMember): readonly Tool[] {
  return [waitForMail(member), roster(member), receipt(member)];
}

const maxSeconds = 3600;

function waitForMail(member: () => ExternalMember): Tool {
  return defineTool<{ timeout_seconds?: number | undefined }>({
    name: "WaitForMail",
    description: `Gives you the messages that your team has sent to you, and waits for some if there are none. Call it when you have nothing left to do, and again and again: nobody can reach you otherwise. Each call acknowledges what the one before it gave you; what you were given and did not live to see comes again, with the same id. With timeout_seconds 0 it only looks.`,
    input: z.strictObject({
      timeout_seconds: z
        .int()
        .min(0)
        .max(maxSeconds)
        .optional()
        .describe("How long to wait at most; 45 if left out. Some clients end a call that takes longer than a minute"),
    }),
    access: "read",
    subject: own,
    title: () => "WaitForMail",
    async execute({ timeout_seconds = 45 }, { signal }) {
      const { mailHandover: desk, idle, working } = member();
      await desk.acknowledge();
      if (timeout_seconds > 0) {
        await idle();
        const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeout_seconds * 1000)]);
        await desk.waitForUnread(timeout).catch((error: unknown) => {
          if (!timeout.aborted) throw error;
        });
        if (signal.aborted) return cancelled;
        await working();
      }
      const mail = await desk.takeUnread(signal);
      if (mail === undefined) return cancelled;
      if (mail.length === 0) return textResult("No mail. Call WaitForMail again to go on waiting.");
      return textResult(mail.map(formatMail).join("\n\n"));
    },
  });
}

/** Nobody hears what is handed out now. */
const cancelled = failedResult("The wait was cancelled; nothing was handed out.");

function formatMail(mail: ReceivedMail): string {
  const again = mail.state === "queued" ? "" : ", given to you before";
  const senderWarning = mail.refused === undefined ? "" : `\n[not acted on: ${mail.refused}]`;
  return `[${mail.id}, ${mail.timestamp}${again}]${senderWarning}\n${memberMail(mail)}`;
}

function roster(member: () => ExternalMember): Tool {
  return defineTool<Record<string, never>>({
    name: "Roster",
    description: `Who is in the team, what each of them is doing, and who you are.`,
    input: z.strictObject({}),
    access: "read",
    subject: own,
    title: () => "Roster",
    async execute() {
      const { team, name } = member();
      const { members, description } = await team.record.read();
      const statuses = await team.presence.statusOf(members);
      const lines = members.map((each, at) => {
        const status = statuses[at];
        const how = each.ended ? `ended (${each.ended.reason})` : `${status?.state ?? "unknown"}, ${status?.alive}`;
        const detail =
          status?.detail === undefined || each.ended ? "" : `: ${visibleLine(status.detail).slice(0, 200)}`;
        const type = each.agentType === undefined ? "" : ` (${each.agentType})`;
        return `- ${each.name}${each.name === name ? " (you)" : ""}${type}: ${how}${detail}`;
      });
      return textResult([`Team ${team.name}${description ? `: ${description}` : ""}`, ...lines].join("\n"));
    },
  });
}

function receipt(member: () => ExternalMember): Tool {
  return defineTool<{ id: string; to: string }>({
    name: "Receipt",
    description: `How far a message that you have sent has come: queued (stored), delivered, read (in its receiver's conversation), or failed (its receiver has ended without reading it).`,
    input: z.strictObject({
      id: z.string().min(1).max(100).describe("As SendMessage gave it"),
      to: z.string().min(1).max(200).describe("The name of its receiver"),
    }),
    access: "read",
    subject: own,
    title: ({ id }) => `Receipt ${id}`,
    async execute({ id, to }) {
      try {
        return textResult(await member().mailbox.receipt(id as MailId, to));
      } catch (error) {
        if (TroupeError.is(error)) return failedResult(error.message);
        throw error;
      }
    },
  });
}
