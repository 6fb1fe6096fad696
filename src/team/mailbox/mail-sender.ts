import type { Agent } from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import type { MailId } from "../../protocol/index.ts";
import { type RetryContext, retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";
import type { Mailbox, OutgoingMail } from "./mailbox.ts";

/** Sends mail as one member and records it in the member's log. */
export interface MailSender {
  readonly team: string;
  readonly name: string;
  /** Resolves when the mail is stored and recorded. Waits while the disk is full. Rejects if it cannot be stored. */
  send(mail: Omit<OutgoingMail, "from">): Promise<MailId>;
}

export function createMailSender({
  team,
  name,
  mailbox,
  agent,
  createId,
  retry,
}: {
  readonly team: string;
  readonly name: string;
  readonly mailbox: Pick<Mailbox, "send">;
  readonly agent: Pick<Agent, "record">;
  readonly createId: CreateId;
  readonly retry: RetryContext;
}): MailSender {
  return {
    team,
    name,
    async send(mail) {
      // One id for all tries, so that a mail that was stored after all is not sent twice.
      const id = mail.id ?? createId<MailId>("mail");
      await retryWhileDiskFull(() => mailbox.send({ ...mail, id, from: name }), retry);
      const kind = mail.body?.kind ?? "text";
      const { to, summary } = mail;
      const facts = { team, mailId: id, kind, to, ...(summary !== undefined && { summary }) };
      await agent.record({ type: "mail.sent", ...facts, ...(mail.wakes === false && { quiet: true }) });
      return id;
    },
  };
}
