import type { Agent } from "../agent/index.ts";
import type { Mailbox, ReceivedMail } from "./mailbox/mailbox.ts";
import { promptOfMail } from "./member-link.ts";
import { isWork } from "./quiescence.ts";

/** What is in a member's inbox and not in its conversation yet, and will have it work: after each it comes to rest again. */
export async function mailToHear(
  name: string,
  { mailbox, agent }: { readonly mailbox: Mailbox; readonly agent: Pick<Agent, "hasPrompt"> },
): Promise<readonly ReceivedMail[]> {
  const found: ReceivedMail[] = [];
  for (const mail of await mailbox.readUnread(name))
    if (hasItWork(mail) && !(await agent.hasPrompt(promptOfMail(mail.id)))) found.push(mail);
  return found;
}

const hasItWork = ({ body, wakes, refused }: ReceivedMail): boolean =>
  wakes && refused === undefined && (isWork.has(body.kind) || body.kind === "shutdown_request");
