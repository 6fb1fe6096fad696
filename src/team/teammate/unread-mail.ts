import { workMailKinds } from "../../protocol/index.ts";
import type { Agent } from "../../agent/index.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";

/** Unread mail that is not in the member's conversation yet and makes it work. The member is idle again after each. */
export async function unreadMail(
  name: string,
  { mailbox, agent }: { readonly mailbox: Mailbox; readonly agent: Pick<Agent, "hasPrompt"> },
): Promise<readonly ReceivedMail[]> {
  const found: ReceivedMail[] = [];
  for (const mail of await mailbox.readUnread(name))
    if (isWakingMail(mail) && !(await agent.hasPrompt(promptIdOfMail(mail.id)))) found.push(mail);
  return found;
}

const isWakingMail = ({ body, wakes, refused }: ReceivedMail): boolean =>
  wakes && refused === undefined && (workMailKinds.has(body.kind) || body.kind === "shutdown_request");
