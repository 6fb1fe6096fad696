import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  claim,
  type Clock,
  type CreateId,
  encodeLine,
  hasErrorCode,
  makeFolder,
  storageError,
  syncFolder,
} from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { JournalHeader } from "./journal-fold.ts";

export interface CompactOptions {
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** The file appears whole or not at all, and never in the place of another. */
export async function createJournalFile(
  path: string,
  { createId, ...header }: Omit<JournalHeader, "journal" | "epoch"> & Pick<CompactOptions, "createId">,
): Promise<void> {
  await makeFolder(dirname(path));
  const temporary = `${path}.${randomBytes(9).toString("hex")}.tmp`;
  try {
    await writeHeader(temporary, { ...header, journal: createId<string>("jrn"), epoch: 0 });
    await link(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw storageError("make", path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Puts a file that begins with `header` in the place of a sealed one. One process at a time; what one that was killed had
 * begun, the next one does again. Does nothing while another is at it, or when it has been done.
 */
export async function compactJournal(
  path: string,
  options: CompactOptions & {
    readonly header: JournalHeader;
    /** The sealed file stays beside it: something in it could not be read. */
    readonly keepOld: boolean;
    readonly isStillThere: () => boolean;
  },
): Promise<void> {
  const { header, keepOld, isStillThere, clock, createId } = options;
  const place = await tryToClaim(`${path}.compacting`, { what: `The compaction of ${path}`, clock, createId });
  if (place === undefined) return;
  try {
    if (!isStillThere()) return;
    const next = `${path}.next`;
    await rm(next, { force: true });
    await writeHeader(next, header);
    if (keepOld) await keep(path, clock);
    await rename(next, path);
    await syncFolder(dirname(path));
  } catch (error) {
    throw TroupeError.is(error) ? error : storageError("compact", path, error);
  } finally {
    await place.release();
  }
}

async function tryToClaim(path: string, options: Parameters<typeof claim>[1]) {
  try {
    return await claim(path, options);
  } catch (error) {
    if (TroupeError.is(error) && error.code === "session_busy") return undefined;
    throw error;
  }
}

async function writeHeader(path: string, header: JournalHeader): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(encodeLine(header));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function keep(path: string, clock: Clock): Promise<void> {
  try {
    await link(path, `${path}.bad-${new Date(clock.now()).toISOString().replace(/[:.]/g, "-")}`);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
