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

export interface Compactor {
  /**
   * Puts a file that begins with `header` in the place of a sealed one. One process at a time; what one that was killed
   * had begun, the next one does again. Does nothing while another is at it, or when it has been done.
   */
  compact(input: {
    readonly header: JournalHeader;
    /** The sealed file stays beside it: something in it could not be read. */
    readonly keepOld: boolean;
    readonly isStillThere: () => boolean;
  }): Promise<void>;
}

export function createCompactor(path: string, { clock, createId }: CompactOptions): Compactor {
  /** A claim that could not be given back: the disk was full. */
  let left: Claim | undefined;

  const compact: Compactor["compact"] = async ({ header, keepOld, isStillThere }) => {
    await left?.release();
    left = undefined;
    // Of this one file: once another has taken its place, whoever claims it finds nothing to do.
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

/** The claim goes with its file: that it could not be given back on a full disk changes nothing. */
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
