import { memberMail, troupeNotice } from "../../agent/index.ts";
import type { Mail } from "../../protocol/index.ts";
import { retryWhileDiskFull, type RetryContext } from "../storage/retry-while-disk-full.ts";
import type { InboxConsumerOptions } from "./inbox-consumer.ts";
import { promptIdOfMail } from "./mail-prompt-id.ts";
import type { Arrived } from "./mail-queue.ts";
import type { ReceivedMail } from "./mailbox.ts";
import { createReportBacklog } from "./report-backlog.ts";

export interface AdmitMailOptions
  extends Pick<
    InboxConsumerOptions,
    "agent" | "conversation" | "archiveReport" | "noteOn" | "onAdmitted" | "wake" | "replayed"
  > {
  readonly team: string;
  readonly retry: RetryContext;
}

/** Puts mail into the conversation, once, and wakes the agent for it. */
export function createMailAdmission(options: AdmitMailOptions) {
  const { agent, team, retry, archiveReport } = options;
  const reports =
    archiveReport &&
    createReportBacklog({
      conversation: options.conversation,
      archive: (member, text) => retryWhileDiskFull(() => archiveReport(member, text), retry),
    });
  const isWaiting = (mail: Mail) => options.conversation.waiting.includes(promptIdOfMail(mail.id));
  return {
    /** True if the mail is admitted, and the model has not seen it yet. */
    isWaiting,
    restore: () => reports?.restore(options.replayed),
    async admit(mail: Arrived<ReceivedMail>) {
      const promptId = promptIdOfMail(mail.id);
      const isNew = !(await agent.hasPrompt(promptId));
      if (isNew) {
        const room = await reports?.makeRoom(mail);
        const parts = [...(room?.before ?? []), ...mailParts(mail, await options.noteOn?.(mail))];
        await agent.admitOnce({ promptId, source: "mail", parts, quiet: !mail.wakes, insteadOf: room?.insteadOf });
        await agent.record({ type: "mail.received", ...mailFields(mail), team, from: mail.from, promptId });
        reports?.added(mail, promptId);
      }
      // Mail that is neither new nor waiting was handled by a previous run, which did not mark it.
      if (isNew || isWaiting(mail)) await options.onAdmitted?.(mail);
      if (!isWaiting(mail)) return;
      const stopped = mail.urgent ? agent.interrupt() : undefined;
      // Wake before the stop completes, so that the agent continues with this mail and is never idle in between.
      if (mail.wakes) (options.wake ?? agent.wake)();
      await stopped;
    },
  };
}

export const mailFields = ({ id, body, summary }: Mail) => ({
  mailId: id,
  kind: body.kind,
  ...(summary !== undefined && { summary }),
});

const mailParts = (mail: ReceivedMail, note: string | undefined) =>
  [memberMail(mail), ...(note === undefined ? [] : [troupeNotice(note)])].map((text) => ({
    type: "text" as const,
    text,
  }));
