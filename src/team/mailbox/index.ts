export type { BroadcastReport, Mailbox, MailboxMembers, Outgoing, Received } from "./mailbox.ts";
