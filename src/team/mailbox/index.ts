export type { BroadcastReport, Mailbox, MailboxMembers, OutgoingMail, ReceivedMail } from "./mailbox.ts";
