import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import {
  type Claim,
  claim,
  type Clock,
  type CreateId,
  currentProcess,
  encodeLine,
  hasErrorCode,
  makeFolder,
  openLineFile,
  storageError,
  writeFileAtomic,
} from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";

/**
 * The outgoing records of one process, on disk until the stream has them. After a crash another process adopts the
 * file.
 */
export interface OutboxFile {
  /** Stays the same when other processes adopt the file. */
  readonly id: string;
  /** The unacknowledged records when the file was opened, in order. */
  readonly left: readonly Outgoing[];
  /** The number of the last record for this receiver. */
  lastOf(to: string): number;
  put(records: readonly Outgoing[]): Promise<void>;
  acknowledged(to: string, n: number): Promise<void>;
  close(): Promise<void>;
}

/** Records are numbered without gaps for each receiver, so that a reader misses none and takes none twice. */
export interface Outgoing {
  readonly to: string;
  readonly n: number;
  readonly record: unknown;
}

interface OutboxPorts {
  readonly clock: Pick<Clock, "now">;
  readonly createId: CreateId;
}

/** Opens the first free outbox file, or a new one. */
export async function openOutboxFile(folder: string, ports: OutboxPorts): Promise<OutboxFile> {
  await makeFolder(folder);
  for (let number = 1; ; number++) {
    const opened = await tryToOpen(folder, `${number}`, ports);
    if (opened !== undefined) return opened;
  }
}

/** Opens the outbox files of dead processes that still have records to send. */
export async function openLeftOutboxes(folder: string, ports: OutboxPorts): Promise<OutboxFile[]> {
  const left: OutboxFile[] = [];
  for (const name of await outboxesIn(folder)) {
    if (pendingOf(read(join(folder, `${name}.jsonl`))).length === 0) continue;
    const opened = await tryToOpen(folder, name, ports);
    if (opened === undefined) continue;
    if (opened.left.length > 0) left.push(opened);
    else await opened.close();
  }
  return left;
}

async function outboxesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => /^\d+\.jsonl$/.test(name)).map((name) => name.slice(0, -".jsonl".length));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw storageError("read the folder", folder, error);
  }
}

async function tryToOpen(folder: string, name: string, ports: OutboxPorts): Promise<OutboxFile | undefined> {
  const holder = join(folder, `${name}.holder.jsonl`);
  let held: Claim;
  try {
    held = await claim(holder, { what: `The outbox ${holder}`, ...ports });
  } catch (error) {
    if (TroupeError.is(error) && error.code === "session_busy") return undefined;
    throw error;
  }
  try {
    return await open(join(folder, `${name}.jsonl`), { held, ...ports });
  } catch (error) {
    await held.release();
    throw error;
  }
}

async function open(path: string, { held, createId }: OutboxPorts & { held: Claim }): Promise<OutboxFile> {
  const { machineId, host } = currentProcess();
  const machine = `${machineId} ${host}`;
  const before = read(path);
  // A copy of the file on another machine must not continue the numbers of the original.
  const isOurs = before.head?.machine === machine;
  const id = isOurs && before.head ? before.head.outbox : createId<string>("out");
  const left = isOurs ? pendingOf(before) : pendingOf(before).map((each, index) => ({ ...each, n: index + 1 }));
  const last = new Map(isOurs ? before.acked : []);
  if (!isOurs) renumber(left);
  for (const { to, n } of left) last.set(to, Math.max(n, last.get(to) ?? 0));
  const acked = new Map(isOurs ? before.acked : []);
  let waiting = left.length;
  let written = 0;

  /** Writes only what still counts; the rest has been sent. */
  const begin = async () => {
    const lines: unknown[] = [{ outbox: id, machine }];
    for (const [to, n] of acked) lines.push({ to, acked: n });
    await writeFileAtomic(path, [...lines, ...(waiting > 0 ? left : [])].map(encodeLine).join(""));
    written = 0;
    return openLineFile(path, { soleWriter: true });
  };
  let file = await begin();
  let renewing: Promise<void> | undefined;

  const renew = async () => {
    const full = file;
    file = await begin();
    // The old file is no longer needed.
    await full.close().catch((error: unknown) => {
      if (!TroupeError.is(error)) throw error;
    });
  };

  return {
    id,
    left,
    lastOf: (to) => last.get(to) ?? 0,
    put(records) {
      for (const { to, n } of records) last.set(to, n);
      waiting += records.length;
      written += records.length;
      return renewing === undefined ? file.append(records) : renewing.then(() => file.append(records));
    },
    async acknowledged(to, n) {
      waiting -= n - (acked.get(to) ?? 0);
      acked.set(to, n);
      await file.append([{ to, acked: n }]);
      if (waiting > 0 || written < maxRecords) return;
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      await renewing;
    },
    async close() {
      await renewing;
      await file.close();
      await held.release();
    },
  };
}

/** Renumbers in place, from 1 for each receiver. */
function renumber(left: { to: string; n: number }[]): void {
  const last = new Map<string, number>();
  for (const each of left) {
    each.n = (last.get(each.to) ?? 0) + 1;
    last.set(each.to, each.n);
  }
}

interface Content {
  head: z.infer<typeof Head> | undefined;
  readonly records: Outgoing[];
  readonly acked: Map<string, number>;
}

function read(path: string): Content {
  const content: Content = { head: undefined, records: [], acked: new Map() };
  for (const { value } of openLineFile(path).readFrom(0).records) {
    const line = Line.safeParse(value);
    if (!line.success) continue;
    if ("outbox" in line.data) content.head = line.data;
    else if ("acked" in line.data) content.acked.set(line.data.to, line.data.acked);
    else content.records.push(line.data);
  }
  return content;
}

const pendingOf = ({ records, acked }: Content) => records.filter(({ to, n }) => n > (acked.get(to) ?? 0));

const Head = z.object({ outbox: z.string(), machine: z.string() });
const Line = z.union([
  Head,
  z.object({ to: z.string(), acked: z.number().int() }),
  z.object({ to: z.string(), n: z.number().int(), record: z.unknown() }),
]);

/** After this many records, and when all are sent, the file starts again. */
const maxRecords = 2000;
