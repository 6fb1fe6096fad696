import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import type { Clock } from "../clock.ts";
import type { CreateId } from "../create-id.ts";
import { encodeLine } from "./line-codec.ts";
import { type LineFile, openLineFile, wasRemoved } from "./line-file.ts";
import { currentProcess, isAlive, ProcessIdentity } from "../process/process-identity.ts";

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
  /** A file that is longer is written anew by who has won it. Default: 16,000. */
  readonly limitBytes?: number;
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

/** Who holds what `path` stands for, dead or alive; undefined: nobody does. For those who only look. */
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
      continue; // somebody has won it just now, and has written it anew
    }
    const now = await withdrawOnFailure(id, file, async () => readHolder(file));
    if (now.holder?.claim === id) return { id, length: now.length };
  }
}

/**
 * As long as its holder lives nobody else can win, whatever they write; so the holder, and nobody else, may put a file with
 * nothing but its own claim in the place of the long one. Who was about to write to that one does not find its claim in the
 * file that is at the path then, where everybody reads, and so does not take itself for the winner.
 */
async function shorten(file: LineFile, id: string): Promise<LineFile> {
  return withdrawOnFailure(id, file, async () => {
    const { holder } = readHolder(file);
    try {
      await writeFileAtomic(file.path, encodeLine({ ...holder, after: null }));
    } catch (error) {
      // It stays long until the next one has won it. Whichever of the two is at the path says the same.
      if (!TroupeError.is(error)) throw error;
    }
    await file.close();
    return openLineFile(file.path, { durability: "process" });
  });
}

/** A claim that nobody knows to be won would hold until this process ends: it is taken back. */
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

/** A line that is no whole record never held anything: whoever wrote it was killed before it read itself as the winner. */
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
      : `From here it cannot be seen whether that process lives: close it there; if you are sure that it is gone, remove ${path}.`);
  return new TroupeError("session_busy", message);
}

function unreadableError(path: string, cause: unknown): TroupeError {
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
