import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ifPresentSync, missingOrFile } from "../platform/index.ts";
import type { AgentId, SessionId, StoredEnvelope } from "../protocol/index.ts";
import { type LogTail, tailLog } from "./log-tail.ts";
import type { SessionFiles } from "./session-files.ts";
import { createTimeHeap } from "./time-heap.ts";

/** Continues to read the logs of one session. */
export interface SessionTail {
  /**
   * Yields the stored events that are not seen yet, in batches of some hundred: in order for each agent, and by time
   * across agents. Yielded events count as seen. Ends when there are no more for now. Rejects with `session_damaged`,
   * `session_newer` or `storage`.
   */
  read(): AsyncGenerator<StoredEnvelope[], void, undefined>;
}

/** `seen` is the reader's position in each agent's log. Add events received from other sources there too. */
export function tailSession(
  files: SessionFiles,
  { session, seen }: { readonly session: SessionId; readonly seen: Map<AgentId, number> },
): SessionTail {
  const logs = new Map<string, LogTail>();
  const tailOf = (path: string): LogTail => {
    const known = logs.get(path) ?? tailLog(path, { session, seen });
    logs.set(path, known);
    return known;
  };

  async function* read(): AsyncGenerator<StoredEnvelope[], void, undefined> {
    const paths = [files.log, ...agentLogs(files.subagents)];
    const bytes = Math.min(maxBytes, Math.max(leastBytes, Math.floor(heldBytes / paths.length)));
    const sources = createTimeHeap<Source>((source) => headOf(source)?.at ?? "");
    for (const path of paths) {
      const source: Source = { tail: tailOf(path), held: [], at: 0 };
      if (refill(source, bytes)) sources.push(source);
    }
    let batch: StoredEnvelope[] = [];
    for (let source = sources.pop(); source !== undefined; source = sources.pop()) {
      const until = sources.earliest ?? never;
      for (let next = headOf(source); next && next.at <= until; next = headOf(source)) {
        source.at += 1;
        seen.set(next.agent, next.seq);
        batch.push(next);
        if (batch.length < batchSize) continue;
        yield batch;
        batch = [];
      }
      const isSpent = source.at === source.held.length;
      // Lets other work run between two pieces of a long log.
      if (isSpent && source.held.length >= batchSize) await new Promise((resolve) => setImmediate(resolve));
      if (!isSpent || refill(source, bytes)) sources.push(source);
    }
    if (batch.length > 0) yield batch;
  }

  return { read };
}

/** Sorts after every time. */
const never = "~";
const batchSize = 500;
/** Limits for one read of a log, and for all logs together. */
const leastBytes = 1 << 16;
const maxBytes = 1 << 20;
const heldBytes = 1 << 23;

interface Source {
  readonly tail: LogTail;
  held: StoredEnvelope[];
  at: number;
}

const headOf = ({ held, at }: Source): StoredEnvelope | undefined => held[at];

function refill(source: Source, bytes: number): boolean {
  source.held = source.tail.next(bytes);
  source.at = 0;
  return source.held.length > 0;
}

function agentLogs(folder: string): string[] {
  return (
    ifPresentSync(
      () =>
        readdirSync(folder)
          .filter((name) => /^agt_[0-9a-z]+\.jsonl$/.test(name))
          .sort()
          .map((name) => join(folder, name)),
      { action: "read the folder", path: folder, missing: missingOrFile },
    ) ?? []
  );
}
