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

/** The mail of one team in files: a part of its `StoredTeam`. */
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
  /** An inbox file above this size is rotated once most of it is read. Default: a million. */
  readonly rotateBytes?: number;
  /** Called with problems of the files, for people: for example data that the disk did not keep. */
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

/** Never creates the team's own folder: a deleted team must not come back as an inbox. */
function makeInboxes(path: string, team: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return;
    if (hasErrorCode(error, "ENOENT")) {
      throw new TroupeError("team", `Team ${team} no longer exists: it was deleted.`, { cause: error });
    }
    throw storageError("create the folder", path, error);
  }
}
