import type { Member } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";

/** What a member was started for is its first mail. One that joined just before everything went down gets it now. */
export async function sendInitialPrompt(
  { name, prompt }: Member,
  {
    presence,
    mailbox,
    link,
  }: Pick<StoredTeam, "presence"> & { readonly mailbox: Mailbox; readonly link: InboxConsumer },
): Promise<void> {
  // Who has ever spoken, or has any mail, has been told.
  if (prompt === undefined || (await presence.look(name)) !== undefined) return;
  if ((await mailbox.readAll(name)).length > 0) return;
  await link.send({ to: name, text: prompt });
}
