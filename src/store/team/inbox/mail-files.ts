import { mkdirSync } from "node:fs";
import {
  type Clock,
  closeAll,
  type CreateId,
  type FolderWatcher,
  hasErrorCode,
  storageError,
} from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { Inbox, MailBodies } from "./inbox.ts";
import { openInbox } from "./file-inbox.ts";
import { openMailBodies } from "./mail-bodies.ts";
import { inboxFile, type TeamFiles } from "../team-files.ts";

/** The mail of one team on files: its part of a `StoredTeam`. */
export interface MailFiles {
  inbox(member: string): Inbox;
  readonly bodies: MailBodies;
  close(): Promise<void>;
}

export interface MailFilesOptions {
  readonly team: string;
  readonly files: TeamFiles;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
  /** An inbox's file beyond this size is moved away once most of it is read. Default: a million. */
  readonly rotateBytes?: number;
  /** What people should know of the files: that the disk did not keep something. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

export function openMailFiles(options: MailFilesOptions): MailFiles {
  const { files, team, rotateBytes = 1_000_000 } = options;
  const inboxes = new Map<string, ReturnType<typeof openInbox>>();
  const ended = new AbortController();
  const makeFolder = () => makeInboxes(files.inboxes, team);

  const inbox = (member: string): Inbox => {
    const known = inboxes.get(member);
    if (known !== undefined) return known;
    const path = inboxFile(files, member);
    const opened = openInbox({ ...options, member, path, makeFolder, rotateBytes, closed: ended.signal });
    inboxes.set(member, opened);
    return opened;
  };

  const close = async () => {
    ended.abort();
    await closeAll([...inboxes.values()].map((opened) => opened.close));
  };

  return { inbox, bodies: openMailBodies(files.bodies), close };
}

/** Never the team's own folder: a team that was deleted does not come back as an inbox. */
function makeInboxes(path: string, team: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return;
    if (hasErrorCode(error, "ENOENT")) {
      throw new TroupeError("team", `Team ${team} is not there any more: it was deleted.`, { cause: error });
    }
    throw storageError("make the folder", path, error);
  }
}
