import type { Member } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";

/** Sends a member's initial prompt as its first mail. Also repairs a join whose mail was lost in a crash. */
export async function sendInitialPrompt(
  { name, prompt }: Member,
  {
    presence,
    mailbox,
    sender,
  }: Pick<StoredTeam, "presence"> & { readonly mailbox: Mailbox; readonly sender: MailSender },
): Promise<void> {
  // A member with presence or any mail has received its prompt.
  if (prompt === undefined || (await presence.look(name)) !== undefined) return;
  if ((await mailbox.readAll(name)).length > 0) return;
  await sender.send({ to: name, text: prompt });
}
