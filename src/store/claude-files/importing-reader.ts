import { messageOf } from "../../protocol/index.ts";
import type { InboxReader } from "../team/inbox/inbox.ts";
import type { ClaudeInboxOptions } from "./claude-inbox.ts";

export interface ImportingReaderOptions
  extends Pick<ClaudeInboxOptions, "member" | "path" | "watcher" | "closed" | "takeDamage"> {
  /** Moves new mail from the shared file into our own inbox. */
  readonly importMail: () => Promise<void>;
}

/** Imports mail into our inbox before each read and whenever the shared file changes. */
export function openImportingReader(reader: InboxReader, options: ImportingReaderOptions): InboxReader {
  const { member, path, importMail } = options;
  const stop = new AbortController();
  const over = AbortSignal.any([stop.signal, options.closed]);
  let failure: string | undefined;
  let taking: Promise<void> = Promise.resolve();
  const take = (): Promise<void> => {
    // An earlier failure was reported to its own caller.
    taking = taking
      .catch(() => undefined)
      .then(async () => {
        if (!over.aborted) await importMail();
      });
    return taking;
  };
  const onHint = () => {
    take().catch((error: unknown) => {
      failure ??= messageOf(error);
    });
  };
  const takeFailure = (): string[] => {
    if (failure === undefined) return [];
    const why = failure;
    failure = undefined;
    return [`cannot import mail of ${member}; the next mail triggers another attempt: ${why}`];
  };
  const unfollow = options.watcher.follow(path, onHint);
  onHint();
  return {
    ...reader,
    async unread() {
      await take();
      return reader.unread();
    },
    async mark(ids, state) {
      await take();
      await reader.mark(ids, state);
    },
    takeNotices: () => [...reader.takeNotices(), ...options.takeDamage(), ...takeFailure()],
    async close() {
      unfollow();
      stop.abort();
      await taking.catch(() => undefined); // reported as a notice
      await reader.close();
    },
  };
}
