import { type MailId, TroupeError } from "../../protocol/index.ts";
import { findSender } from "./find-member.ts";
import type { BroadcastReport, Mailbox, MailboxMembers, OutgoingMail } from "./mailbox.ts";

interface Broadcast extends Pick<Mailbox, "send"> {
  readonly team: string;
  readonly members: ReturnType<MailboxMembers["members"]>;
}

/** Sends mail to all other members that have not ended. */
export async function broadcast(
  outgoing: Omit<OutgoingMail, "to" | "id">,
  { team, members, send }: Broadcast,
): Promise<BroadcastReport> {
  const sender = findSender(outgoing.from, { team, members });
  const sent: { to: string; id: MailId }[] = [];
  const failed: { to: string; error: Error }[] = [];
  // In sequence, so that the report has the order of the members.
  for (const member of members) {
    if (member.ended !== undefined || member === sender) continue;
    const to = member.name;
    try {
      sent.push({ to, ...(await send({ ...outgoing, to })) });
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      failed.push({ to, error });
    }
  }
  return { sent, failed };
}
