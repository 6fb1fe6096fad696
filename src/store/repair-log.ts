import { readFile } from "node:fs/promises";
import { type Clock, type CreateId, encodeLine, writeFileAtomic } from "../platform/index.ts";
import { type EventId, protocolVersion, type StoredEnvelope } from "../protocol/index.ts";
import { lineNumbersAt } from "./line-number.ts";
import { examineEventLog } from "./read-event-log.ts";
import { timeForFileName, writeToFreeName } from "./write-to-free-name.ts";

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
  const { envelopes, problems } = examineEventLog(path);
  const lines = lineNumbersAt(path, problems);
  const found = problems.map(({ reason }, i) => ({ line: lines[i] ?? 0, reason }));
  if (found.length === 0) return { path, kept: envelopes.length, problems: found };
  const original = await writeToFreeName(`${path}.bad-${timeForFileName(clock)}`, { data: await readFile(path) });
  const owner = envelopes[0];
  const kept = envelopes.filter(({ agent }) => agent === owner?.agent);
  if (owner !== undefined) kept.push(noticeOf(owner, { clock, createId, text: describe(found, original) }));
  await writeFileAtomic(path, kept.map((envelope, i) => encodeLine({ ...envelope, seq: i + 1 })).join(""));
  return { path, kept: kept.length, problems: found, original };
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
