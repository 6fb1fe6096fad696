import {
  type Clock,
  closeAll,
  type CreateId,
  type FolderWatcher,
  openRotatableLogFile,
} from "../../../platform/index.ts";
import type { Mail } from "../../../protocol/index.ts";
import { createUnreadPeek, peekInbox, watchInbox } from "./peek-inbox.ts";
import type { HeldMail, Inbox, InboxReader } from "./inbox.ts";
import { openInboxReader } from "./file-inbox-reader.ts";
import { isQuarantined } from "./quarantined-mail.ts";

export interface InboxOptions {
  readonly member: string;
  readonly path: string;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  /** Creates the folder of all inboxes. Throws if the team is gone. */
  readonly makeFolder: () => void;
  /** A file above this size is rotated once most of it is read. */
  readonly rotateBytes: number;
  /** Called, for people, when acknowledged mail or marks may not survive a power cut. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Aborts when the store closes. */
  readonly closed: AbortSignal;
}

/** An inbox in a line file: `name.jsonl`, and `name.jsonl.1` and so on for rotated files with unread mail. */
export function openInbox(options: InboxOptions): Inbox & { close(): Promise<void> } {
  const { member, path, watcher, closed } = options;
  const onFailure = (message: string) =>
    options.onNotice?.(`The last writes to the inbox of ${member} may not survive a power cut. ${message}`);
  const file = openRotatableLogFile(path, { makeFolder: options.makeFolder, onFailure });
  const readers = new Set<InboxReader>();
  const peekUnread = createUnreadPeek(path);

  const send = (mail: Mail, json = JSON.stringify(mail)) =>
    file.appendJson(`{"mail":${json}}`, mail.body.kind === "text" ? "soon" : "disk");

  const openReader = async (): Promise<InboxReader> => {
    options.makeFolder();
    const reader = await openInboxReader({ ...options, file });
    readers.add(reader);
    const close = async () => {
      readers.delete(reader);
      await reader.close();
    };
    return { ...reader, close };
  };

  const watch = (signal: AbortSignal): AsyncIterable<readonly HeldMail[]> =>
    watchInbox(path, { watcher, signal: AbortSignal.any([signal, closed]) });

  const close = () => closeAll([...[...readers].map((reader) => reader.close), file.close]);

  return {
    member,
    send,
    peek: async () => peekInbox(path),
    peekUnread: async () => peekUnread(),
    hasQuarantined: async (id) => isQuarantined(path, id),
    watch,
    openReader,
    close,
  };
}
