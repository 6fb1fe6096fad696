import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import type { Clock } from "../clock.ts";
import type { CreateId } from "../create-id.ts";
import { encodeLine } from "./line-codec.ts";
import { type LineFile, openLineFile, wasRemoved } from "./line-file.ts";
import { currentProcess, isAlive, ProcessIdentity } from "../process/process-identity.ts";

export interface Claim {
  /** Releases the claim. A second call does nothing, unless the first one failed: then it tries again. */
  release(): Promise<void>;
}

export interface ClaimOptions {
  /** The claimed object in the error message: `Session ses_…`. */
  readonly what: string;
  readonly createId: CreateId;
  readonly clock: Pick<Clock, "now">;
  readonly owner?: ProcessIdentity;
  /** The winner of the claim rewrites a longer file. Default: 16,000. */
  readonly limitBytes?: number;
}

/**
 * Makes this process the only owner of the object that `path` stands for, or rejects with `session_busy`. There is no
 * lock that can become stale: all processes fold the same records in the same order. A claim names the claim that it
 * replaces, and counts only if that one is valid at this position of the file. So of several processes that replace the
 * same dead owner, the first wins.
 */
export async function claim(path: string, options: ClaimOptions): Promise<Claim> {
  const owner = options.owner ?? currentProcess();
  const file = openLineFile(path, { durability: "process" });
  try {
    const { id, length } = await acquire(file, { ...options, owner });
    if (length <= (options.limitBytes ?? defaultLimitBytes)) return { release: once(() => release(file, id)) };
    const short = await shorten(file, id);
    return { release: once(() => release(short, id)) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const defaultLimitBytes = 16_000;

/** Returns the owner of the claim, dead or alive, or undefined if there is none. Only reads. */
export function claimHolder(path: string): ProcessIdentity | undefined {
  return readHolder(openLineFile(path)).holder?.owner;
}

async function acquire(
  file: LineFile,
  options: ClaimOptions & { owner: ProcessIdentity },
): Promise<{ id: string; length: number }> {
  for (;;) {
    const { holder } = readHolder(file);
    if (holder !== undefined && isAlive(holder.owner) !== "dead") throw busyError(file.path, options.what, holder);
    const id = options.createId<string>("clm");
    const at = new Date(options.clock.now()).toISOString();
    try {
      await file.append([{ claim: id, after: holder?.claim ?? null, owner: options.owner, at }]);
    } catch (error) {
      if (!wasRemoved(error)) throw error;
      continue; // another process has just won the claim and rewritten the file
    }
    const now = await withdrawOnFailure(id, file, async () => readHolder(file));
    if (now.holder?.claim === id) return { id, length: now.length };
  }
}

/**
 * While the owner lives, no other process can win, whatever it writes. So only the owner may replace the long file by
 * one that contains just its own claim. A process that was about to write to the old file does not find its claim in
 * the new one, and so does not consider itself the winner.
 */
async function shorten(file: LineFile, id: string): Promise<LineFile> {
  return withdrawOnFailure(id, file, async () => {
    const { holder } = readHolder(file);
    try {
      await writeFileAtomic(file.path, encodeLine({ ...holder, after: null }));
    } catch (error) {
      // The file stays long until the next winner. Both files say the same.
      if (!TroupeError.is(error)) throw error;
    }
    await file.close();
    return openLineFile(file.path, { durability: "process" });
  });
}

/**
 * Releases the claim after an error. A claim that its process does not know it won would last until the process ends.
 */
async function withdrawOnFailure<T>(id: string, { path }: LineFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await release(openLineFile(path, { durability: "process" }), id);
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

/** An incomplete line never was a claim: its writer was killed before it could read itself as the winner. */
function readHolder(file: LineFile): { readonly holder: ClaimRecord | undefined; readonly length: number } {
  let holder: ClaimRecord | undefined;
  const { records, nextOffset } = file.readFrom(0);
  for (const { value } of records) {
    const record = OwnerRecord.safeParse(value, { jitless: true }); // compiling it takes longer
    if (!record.success) throw unreadableError(file.path, record.error);
    if ("release" in record.data) {
      if (record.data.release === holder?.claim) holder = undefined;
    } else if (record.data.after === (holder?.claim ?? null)) {
      holder = record.data;
    }
  }
  return { holder, length: nextOffset };
}

function busyError(path: string, what: string, holder: ClaimRecord): TroupeError {
  const { pid, host } = holder.owner;
  const message =
    `${what} is in use by process ${pid} on ${host} since ${holder.at}. ` +
    (isAlive(holder.owner) === "alive"
      ? "Close it there, or wait until it has ended."
      : `It is unknown whether that process is alive. Close it there; if you are sure that it has ended, remove ${path}.`);
  return new TroupeError("session_busy", message);
}

function unreadableError(path: string, cause: unknown): TroupeError {
  const message = `cannot read the owner in ${path}: unknown format. If no process uses this, remove the file.`;
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
