import type { ReceivedMail } from "./mailbox.ts";

/**
 * Mail as its receiver acts on it. Unsigned text proves no sender: the name is only a claim, so the text is
 * the word of no member and interrupts nothing. Other unsigned kinds are refused.
 */
export function withClaimedSender(mail: ReceivedMail): ReceivedMail {
  if (mail.sender === "verified" || mail.refused !== undefined) return mail;
  const { urgent: _, ...rest } = mail;
  return { ...rest, from: `unknown sender, says it is ${mail.from}` };
}
