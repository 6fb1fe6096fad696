import { closeSync, constants, fsyncSync, openSync, writeFileSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, type CreateId, encodeLine, hasErrorCode, storageError, syncFolder } from "../platform/index.ts";
import { type EventId, protocolVersion, type StoredEnvelope } from "../protocol/index.ts";
import { lineNumbersAt } from "./line-number.ts";
import { scanEventLog } from "./read-event-log.ts";
import { timeForFileName } from "./write-to-free-name.ts";

export interface RepairReport {
  readonly path: string;
  readonly kept: number;
  /** The problems of the original by line. Empty if there were none; then nothing was changed. */
  readonly problems: readonly { readonly line: number; readonly reason: string }[];
  /** The path of the saved original. */
  readonly original?: string;
}

/**
 * Makes a damaged log usable. Readable events are kept and renumbered, with a notice at the end that something is
 * missing. The original is copied next to it before the log is replaced. The caller must hold the session's claim.
 */
export async function repairLog(
  path: string,
  { clock, createId }: { readonly clock: Pick<Clock, "now">; readonly createId: CreateId },
): Promise<RepairReport> {
  let owner: StoredEnvelope | undefined;
  let readable = 0;
  const { problems, tornAt } = scanEventLog(path, (envelope) => {
    owner ??= envelope;
    readable += 1;
  });
  // Opening a log moves a torn end aside, but only if there are events before it.
  if (owner === undefined && tornAt !== undefined)
    problems.push({ offset: tornAt, reason: "it contains no whole event" });
  const lines = lineNumbersAt(path, problems);
  const found = problems.map(({ reason }, i) => ({ line: lines[i] ?? 0, reason }));
  if (found.length === 0) return { path, kept: readable, problems: found };
  const original = await copyToFreeName(path, `${path}.bad-${timeForFileName(clock)}`);
  let kept = 0;
  await replaceFile(path, (write) => {
    const keep = (envelope: StoredEnvelope) => write(encodeLine({ ...envelope, seq: ++kept }));
    scanEventLog(original, (envelope) => {
      if (envelope.agent === owner?.agent) keep(envelope);
    });
    if (owner !== undefined) keep(noticeOf(owner, { clock, createId, text: describe(found, original) }));
  });
  return { path, kept, problems: found, original };
}

/** Copies a file of any size to the first free name. */
async function copyToFreeName(from: string, path: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? path : `${path}-${count}`;
    try {
      await copyFile(from, name, constants.COPYFILE_EXCL);
      return name;
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw storageError("write", name, error);
    }
  }
}

/** Writes a file of any size in pieces. It takes the place of the old one when it is whole. */
async function replaceFile(path: string, fill: (write: (text: string) => void) => void): Promise<void> {
  const temporary = `${path}.repair`;
  try {
    const fd = openSync(temporary, "w", 0o600);
    try {
      let waiting = "";
      fill((text) => {
        waiting += text;
        if (waiting.length < 1 << 20) return;
        writeFileSync(fd, waiting);
        waiting = "";
      });
      writeFileSync(fd, waiting);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw storageError("write", path, error);
  }
}

function noticeOf(
  owner: StoredEnvelope,
  { clock, createId, text }: { clock: Pick<Clock, "now">; createId: CreateId; text: string },
): StoredEnvelope {
  return {
    v: protocolVersion,
    id: createId<EventId>("evt"),
    session: owner.session,
    agent: owner.agent,
    seq: 0,
    at: new Date(clock.now()).toISOString(),
    event: { type: "notice.raised", level: "warning", code: "log_repaired", message: text },
  };
}

function describe(problems: RepairReport["problems"], original: string): string {
  const lines = problems
    .map(({ line }) => line)
    .join(", ")
    .slice(0, 200);
  return `This log was damaged (line ${lines}) and has been repaired. The unreadable part is only in ${original}.`;
}
