import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createIdFactory, openLineFile, readLines, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, SessionId, StoredEvent } from "../../../src/protocol/index.ts";
import { openEventLog } from "../../../src/store/index.ts";

/**
 * fill-disk-with-events FOLDER: records until the small disk is full, frees some space and continues. Prints what
 * happened as JSON.
 */
const folder = process.argv[2] ?? "";
const createId = createIdFactory(systemClock);
const session = createId<SessionId>("ses");
const agent = createId<AgentId>("agt");
const path = join(folder, "log.jsonl");
const open = () => openEventLog({ path, session, agent, clock: systemClock, createId });
const event: StoredEvent = { type: "notice.raised", level: "info", code: "test", message: "x".repeat(3_000) };

writeFileSync(join(folder, "ballast"), Buffer.alloc(20_000));
const log = await open();
const stored: string[] = [];
const full = await recordUntilFull();
const seenWhenFull = (await open()).replayed.map(({ id }) => id);
const again = await log.record(event).then(
  () => undefined,
  (error: unknown) => error,
);
rmSync(join(folder, "ballast"));
const { id, seq } = await log.record(event);
const storedBefore = stored.length;
stored.push(id);
await log.close();
const reopened = await open();

writeFileSync(join(folder, "ballast"), Buffer.alloc(8_000));
const shared = openLineFile(join(folder, "shared.jsonl"), { durability: "process" });
let sharedStored = 0;
const sharedFailure = await appendUntilFull();
rmSync(join(folder, "ballast"));
await shared.append([{ n: sharedStored, fill: "z" }]);
await shared.close();
const reading = readLines(join(folder, "shared.jsonl"));

console.log(
  JSON.stringify({
    full: describe(full),
    again: describe(again),
    seenWhenFull: seenWhenFull.length === storedBefore && seenWhenFull.every((seen, i) => seen === stored[i]),
    sameNumber: seq === storedBefore + 1,
    reopened: reopened.replayed.length === stored.length && reopened.notices.length === 0,
    sharedFailure: describe(sharedFailure),
    shared: reading.records.length === sharedStored + 1 && reading.damaged.length <= 2,
  }),
);

async function appendUntilFull(): Promise<unknown> {
  for (;;) {
    try {
      await shared.append([{ n: sharedStored, fill: "y".repeat(3_000) }]);
      sharedStored += 1;
    } catch (error) {
      return error;
    }
  }
}

async function recordUntilFull(): Promise<unknown> {
  for (;;) {
    try {
      stored.push((await log.record(event)).id);
    } catch (error) {
      return error;
    }
  }
}

function describe(error: unknown): unknown {
  const { code, cause } = error as { code: string; cause: { code: string } };
  return `${code} ${cause.code}`;
}
