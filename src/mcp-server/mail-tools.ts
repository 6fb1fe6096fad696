import * as z from "zod";
import { memberMail } from "../agent/index.ts";
import { systemClock, withTimeLimit } from "../platform/index.ts";
import { type MailId, TroupeError, visibleLine } from "../protocol/index.ts";
import { type ReceivedMail, withClaimedSender } from "../team/index.ts";
import { defineTool, failedResult, textResult, type Tool } from "../tool/index.ts";
import type { ExternalMember } from "./external-member.ts";

const own = () => ({ kind: "own" as const });

/** Creates the tools with which an external agent reads mail and sees its team. */
export function createMailTools(member: () => ExternalMember): readonly Tool[] {
  return [waitForMail(member), roster(member), receipt(member)];
}

const maxSeconds = 3600;

function waitForMail(member: () => ExternalMember): Tool {
  return defineTool<{ timeout_seconds?: number | undefined }>({
    name: "WaitForMail",
    description: `Returns the messages that your team sent to you, and waits if there are none. Call it whenever you have nothing to do, and call it again after each return: others cannot reach you otherwise. Each call acknowledges the messages of the previous call. Messages that you did not acknowledge are returned again with the same id. With timeout_seconds 0 it returns at once.`,
    input: z.strictObject({
      timeout_seconds: z
        .int()
        .min(0)
        .max(maxSeconds)
        .optional()
        .describe("Maximum time to wait in seconds (default 45). Some clients abort calls longer than a minute"),
    }),
    access: "read",
    subject: own,
    title: () => "WaitForMail",
    async execute({ timeout_seconds = 45 }, { signal }) {
      const { mailHandover: desk, idle, working } = member();
      await desk.acknowledge();
      if (timeout_seconds > 0) {
        await idle();
        await withTimeLimit(systemClock, timeout_seconds * 1000, async (late) => {
          const until = AbortSignal.any([signal, late]);
          await desk.waitForUnread(until).catch((error: unknown) => {
            if (!until.aborted) throw error;
          });
        });
        if (signal.aborted) return cancelled;
        await working();
      }
      const mail = await desk.takeUnread(signal);
      if (mail === undefined) return cancelled;
      if (mail.length === 0) return textResult("No mail. Call WaitForMail again to keep waiting.");
      return textResult(mail.map(formatMail).join("\n\n"));
    },
  });
}

/** The client no longer listens, so no mail is returned. */
const cancelled = failedResult("The wait was cancelled. No mail was returned.");

function formatMail(mail: ReceivedMail): string {
  const again = mail.state === "queued" ? "" : ", returned before";
  const senderWarning = mail.refused === undefined ? "" : `\n[ignored: ${mail.refused}]`;
  return `[${mail.id}, ${mail.timestamp}${again}]${senderWarning}\n${memberMail(withClaimedSender(mail))}`;
}

function roster(member: () => ExternalMember): Tool {
  return defineTool<Record<string, never>>({
    name: "Roster",
    description: `Lists the members of the team, their activity, and your own name.`,
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
    description: `Returns the state of a message that you sent: queued (stored), delivered, read (in the receiver's conversation), or failed (the receiver ended without reading it).`,
    input: z.strictObject({
      id: z.string().min(1).max(100).describe("The id that SendMessage returned"),
      to: z.string().min(1).max(200).describe("The name of the receiver"),
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
