import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type Claim,
  claim,
  type Clock,
  type CreateId,
  encodeLine,
  hasErrorCode,
  makeFolder,
  storageError,
  syncFolder,
} from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import type { JournalHeader } from "./journal-fold.ts";

export interface CompactOptions {
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Creates the whole file or nothing, and never replaces an existing one. */
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

export interface Compactor {
  /**
   * Replaces a sealed file by one that begins with `header`. Only one process compacts at a time; after a crash the
   * next one repeats the work. Does nothing while another process compacts, or when it is done.
   */
  compact(input: {
    readonly header: JournalHeader;
    /** Keeps the sealed file: part of it could not be read. */
    readonly keepOld: boolean;
    readonly isStillThere: () => boolean;
  }): Promise<void>;
}

export function createCompactor(path: string, { clock, createId }: CompactOptions): Compactor {
  /** A claim that could not be released because the disk was full. */
  let left: Claim | undefined;

  const compact: Compactor["compact"] = async ({ header, keepOld, isStillThere }) => {
    await left?.release();
    left = undefined;
    // The claim is for this file only: after its replacement a later claim finds nothing to do.
    const claimFile = `${path}.compacting-${header.epoch}`;
    const what = `The compaction of ${path}`;
    const place = await tryToClaim(claimFile, { what, clock, createId, isStillThere });
    if (place === undefined) return;
    try {
      if (isStillThere()) await replace(header, keepOld);
    } catch (error) {
      left = place;
      await place.release();
      left = undefined;
      throw TroupeError.is(error) ? error : storageError("compact", path, error);
    }
    await place.release().catch(ignoreStorage);
    await rm(claimFile, { force: true });
  };

  const replace = async (header: JournalHeader, keepOld: boolean) => {
    const next = `${path}.next`;
    await rm(next, { force: true });
    await writeHeader(next, header);
    if (keepOld) await keep(path, clock);
    await rename(next, path);
    await syncFolder(dirname(path));
  };

  return { compact };
}

/** The claim disappears with its file, so a failed release on a full disk does not matter. */
function ignoreStorage(error: unknown): void {
  if (!TroupeError.is(error)) throw error;
}

async function tryToClaim(
  path: string,
  { isStillThere, ...options }: Parameters<typeof claim>[1] & { readonly isStillThere: () => boolean },
): Promise<Claim | undefined> {
  try {
    return await claim(path, options);
  } catch (error) {
    if (TroupeError.is(error) && (error.code === "session_busy" || !isStillThere())) return undefined;
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
