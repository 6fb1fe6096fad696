import { workMailKinds } from "../../protocol/index.ts";
import type { Mailbox, OutgoingMail } from "../mailbox/mailbox.ts";

/** Expects a report of this member, or of all with `*`. Each returned function stops expecting one member's report. */
export type ExpectReports = (to: string) => ReadonlyMap<string, () => void>;

/**
 * Expects a report for each mail with work, from before the mail is stored: a fast member reports while its sender still
 * waits for the disk.
 */
export function withExpectedReports(mailbox: Mailbox, expect: ExpectReports): Mailbox {
  return {
    ...mailbox,
    async send(mail) {
      const expected = isWork(mail) ? expect(mail.to) : none;
      try {
        return await mailbox.send(mail);
      } catch (error) {
        for (const drop of expected.values()) drop();
        throw error;
      }
    },
    async broadcast(mail) {
      const expected = isWork(mail) ? expect("*") : none;
      const isSent = new Set<string>();
      try {
        const report = await mailbox.broadcast(mail);
        for (const { to } of report.sent) isSent.add(to);
        return report;
      } finally {
        for (const [name, drop] of expected) if (!isSent.has(name)) drop();
      }
    },
  };
}

const none: ReadonlyMap<string, () => void> = new Map();

const isWork = ({ body, wakes }: Omit<OutgoingMail, "to">): boolean =>
  workMailKinds.has(body?.kind ?? "text") && wakes !== false;
