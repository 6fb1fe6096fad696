export { createMailbox, type MailboxOptions } from "./create-mailbox.ts";
export type { BroadcastReport, Mailbox, MailboxMembers, OutgoingMail, ReceivedMail } from "./mailbox.ts";
