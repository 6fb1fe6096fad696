import { writeSync } from "node:fs";
import { currentProcess, isAlive } from "../../../src/platform/index.ts";
import { openList } from "../store/open-task-list.ts";

/**
 * claim-tasks PATH NAME COUNT LIMIT: releases tasks of dead owners, then tries to claim every task, each process from a
 * different start, completes its tasks, and prints each.
 */
const [path = "", name = "", count = "", limit = ""] = process.argv.slice(2);
const list = openList(path, { limitBytes: Number(limit) });
const holder = currentProcess();
await list.releaseGone(async (owner) =>
  owner.holder !== undefined && isAlive(owner.holder) === "dead" ? "it is dead" : undefined,
);
const total = Number(count);
const start = Math.floor(Math.random() * total);
for (let n = 0; n < total; n++) {
  const id = 1 + ((start + n) % total);
  const claimed = await list.claim(id, { name, holder });
  if (!claimed.ok) {
    if (claimed.reason !== "taken" && claimed.reason !== "over") writeSync(1, `odd ${claimed.message}\n`);
    continue;
  }
  const done = await list.complete(id, { name, generation: claimed.item.generation });
  writeSync(1, done.ok ? `won ${id}\n` : `odd ${done.message}\n`);
}
await list.close();
