export { createMailbox, type MailboxOptions } from "./create-mailbox.ts";
export type { BroadcastReport, Mailbox, OutgoingMail, ReceivedMail } from "./mailbox.ts";
