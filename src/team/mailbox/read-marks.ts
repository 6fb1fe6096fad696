import { type MailId, messageOf } from "../../protocol/index.ts";
import { retryWhileDiskFull, type RetryContext } from "../storage/retry-while-disk-full.ts";
import type { InboxConsumerOptions } from "./inbox-consumer.ts";

export interface ReadMarksOptions extends Pick<InboxConsumerOptions, "mailbox" | "agent" | "beforeMark" | "onFailure"> {
  readonly name: string;
  readonly retry: RetryContext;
  readonly warn: (message: string) => Promise<void>;
  readonly onMarked: (ids: readonly MailId[]) => void;
}

/** A single failure is tolerated, this number in a row is not. */
const maxUnmarked = 5;

/** Marks mail as read, in batches, after the event that justifies it is stored. */
export function createReadMarks(options: ReadMarksOptions) {
  const { mailbox, name, retry, onFailure } = options;
  let marking: Promise<void> = Promise.resolve();
  let readIds: MailId[] = [];
  /** Failures to mark in a row. */
  let failures = 0;

  const markNow = async () => {
    const batch = readIds;
    readIds = [];
    if (batch.length === 0) return;
    try {
      await options.beforeMark?.();
      // The mark must not reach the disk before the agent's log. After a power cut the mail would be lost.
      await options.agent.saved();
      await retryWhileDiskFull(() => mailbox.markRead(name, batch), retry);
      options.onMarked(batch);
      failures = 0;
    } catch (error) {
      readIds.unshift(...batch);
      throw error;
    }
  };

  /** Failed marks are retried with the next ones. Until then the agent's log knows that the mail was handled. */
  const warnAboutMarks = async (error: unknown) => {
    failures += 1;
    if (retry.signal.aborted) return;
    if (failures > maxUnmarked) return onFailure(error);
    try {
      await options.warn(`cannot mark mail as read, will retry with the next: ${messageOf(error)}`);
    } catch (cause) {
      onFailure(cause);
    }
  };

  return {
    add(id: MailId) {
      readIds.push(id);
      marking = marking.then(markNow).catch(warnAboutMarks);
    },
    settled: () => marking,
  };
}
