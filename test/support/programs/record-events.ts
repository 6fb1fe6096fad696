import { writeSync } from "node:fs";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, SessionId, StoredEvent } from "../../../src/protocol/index.ts";
import { openEventLog } from "../../../src/store/index.ts";

/**
 * record-events PATH SESSION DURABILITY COUNT: records COUNT events, each up to three times until it is stored. Prints
 * each result: `opened N`, `stored ID SEQ`, `rejected CODE`, `closed`.
 */
const [path = "", session = "", durability = "", count = ""] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
const createId = createIdFactory(systemClock);

await attempt(async () => {
  const agent = createId<AgentId>("agt");
  const log = await openEventLog({
    path,
    session: session as SessionId,
    agent,
    clock: systemClock,
    createId,
    durability: durability as "disk" | "soon",
  });
  say(`opened ${log.replayed.length}`);
  for (let n = 0; n < Number(count); n++) {
    const event: StoredEvent = { type: "notice.raised", level: "info", code: "test", message: `${n} `.repeat(100) };
    let isStored = false;
    for (let tries = 0; tries < 3 && !isStored; tries++) {
      isStored = await attempt(async () => {
        const { id, seq } = await log.record(event);
        say(`stored ${id} ${seq}`);
      });
    }
  }
  await log.close();
  say("closed");
});

async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } };
    if (code !== "storage") throw error;
    say(`rejected ${cause?.code ?? "?"}`);
    return false;
  }
}
