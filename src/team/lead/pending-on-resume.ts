import type { Agent } from "../../agent/index.ts";
import { type Member, teamLead, workMailKinds } from "../../protocol/index.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";

/**
 * Members that are expected to report when a team is resumed: they have unread mail, or their report is in the lead's
 * inbox but not in its conversation.
 */
export async function membersWithPendingWork(
  members: readonly Member[],
  { mailbox, lead }: { readonly mailbox: Mailbox; readonly lead: Pick<Agent, "hasPrompt"> },
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { name, ended } of members) {
    if (ended === undefined && (await mailbox.readUnread(name)).some(isWorkMail)) names.add(name);
  }
  for (const { id, from, body, refused } of await mailbox.readUnread(teamLead))
    if (body.kind === "idle_notification" && refused === undefined)
      if (!(await lead.hasPrompt(promptIdOfMail(id)))) names.add(from);
  return names;
}

const isWorkMail = ({ body, wakes, refused }: ReceivedMail): boolean =>
  wakes && refused === undefined && workMailKinds.has(body.kind);
