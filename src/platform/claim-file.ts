import * as z from "zod";
import { TroupeError } from "../protocol/index.ts";
import type { Clock } from "./clock.ts";
import type { CreateId } from "./create-id.ts";
import { type LineFile, openLineFile } from "./line-file.ts";
import { currentProcess, isAlive, ProcessIdentity } from "./process-identity.ts";

export interface Claim {
  /** Lets the next one in. Does nothing the second time, unless the first one failed: then it tries again. */
  release(): Promise<void>;
}

export interface ClaimOptions {
  /** What is claimed, as the refusal calls it: `Session ses_…`. */
  readonly what: string;
  readonly createId: CreateId;
  readonly clock: Pick<Clock, "now">;
  readonly owner?: ProcessIdentity;
}

/**
 * Makes this process the only holder of whatever `path` stands for, or rejects with `session_busy`. There is no lock to
 * go stale: everybody folds the same records in the same order. A claim names the claim it replaces, and counts only if
 * that one holds at its place in the file, so of any number that replace the same dead holder the first one wins.
 */
export async function claim(path: string, options: ClaimOptions): Promise<Claim> {
  const owner = options.owner ?? currentProcess();
  const file = openLineFile(path, { durability: "process" });
  try {
    const id = await win(file, { ...options, owner });
    return { release: once(() => release(file, id)) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Who holds what `path` stands for, dead or alive; undefined: nobody does. For those who only look. */
export function claimHolder(path: string): ProcessIdentity | undefined {
  return currentHolder(openLineFile(path))?.owner;
}

async function win(file: LineFile, options: ClaimOptions & { owner: ProcessIdentity }): Promise<string> {
  for (;;) {
    const before = currentHolder(file);
    if (before !== undefined && isAlive(before.owner) !== "dead") throw busy(file.path, options.what, before);
    const id = options.createId<string>("clm");
    const at = new Date(options.clock.now()).toISOString();
    await file.append([{ claim: id, after: before?.claim ?? null, owner: options.owner, at }]);
    if (await isHolder(file, id)) return id;
  }
}

/** A claim that nobody knows to be won would hold until this process ends: it is taken back. */
async function isHolder(file: LineFile, id: string): Promise<boolean> {
  try {
    return currentHolder(file)?.claim === id;
  } catch (error) {
    await file.append([{ release: id }]);
    throw error;
  }
}

async function release(file: LineFile, id: string): Promise<void> {
  await file.append([{ release: id }]);
  await file.close();
}

const ClaimRecord = z.object({
  claim: z.string(),
  after: z.string().nullable(),
  owner: ProcessIdentity,
  at: z.string(),
});
type ClaimRecord = z.infer<typeof ClaimRecord>;
const ReleaseRecord = z.object({ release: z.string() });
const OwnerRecord = z.union([ClaimRecord, ReleaseRecord]);

/** A line that is no whole record never held anything: whoever wrote it was killed before it read itself as the winner. */
function currentHolder(file: LineFile): ClaimRecord | undefined {
  let holder: ClaimRecord | undefined;
  for (const { value } of file.readFrom(0).records) {
    const record = OwnerRecord.safeParse(value, { jitless: true }); // compiling it takes longer
    if (!record.success) throw unreadable(file.path, record.error);
    if ("release" in record.data) {
      if (record.data.release === holder?.claim) holder = undefined;
    } else if (record.data.after === (holder?.claim ?? null)) {
      holder = record.data;
    }
  }
  return holder;
}

function busy(path: string, what: string, holder: ClaimRecord): TroupeError {
  const { pid, host } = holder.owner;
  const message =
    `${what} is in use by process ${pid} on ${host} since ${holder.at}. ` +
    (isAlive(holder.owner) === "alive"
      ? "Close it there, or wait until it has ended."
      : `From here it cannot be seen whether that process lives: close it there; if you are sure that it is gone, remove ${path}.`);
  return new TroupeError("session_busy", message);
}

function unreadable(path: string, cause: unknown): TroupeError {
  const message = `${path} says in an unknown form who uses this. If nobody does, remove it.`;
  return new TroupeError("storage", message, { cause });
}

function once(action: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= action().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
