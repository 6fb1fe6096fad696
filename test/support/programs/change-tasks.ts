import { writeSync } from "node:fs";
import { currentProcess } from "../../../src/platform/index.ts";
import type { TaskAnswer } from "../../../src/store/index.ts";
import { openList } from "../store/open-task-list.ts";

/**
 * change-tasks PATH NAME ROUNDS LIMIT: creates, claims, changes and completes a task in each round. Prints each step
 * when it is stored (`ok ID STEP`) or rejected (`rejected ERROR`). 0 rounds: until it is killed.
 */
const [path = "", name = "", rounds = "", limit = ""] = process.argv.slice(2);
const list = openList(path, { limitBytes: Number(limit) });
const say = (line: string) => void writeSync(1, `${line}\n`);

async function step(what: string, action: () => Promise<TaskAnswer>): Promise<TaskAnswer | undefined> {
  try {
    const answer = await action();
    say(answer.ok ? `ok ${answer.item.id} ${what}` : `refused ${answer.message}`);
    return answer;
  } catch (error) {
    const { code = "bug", cause } = error as { code?: string; cause?: { code?: string } };
    say(`rejected ${code} ${cause?.code ?? ""}`);
    return undefined;
  }
}

const total = Number(rounds) || Infinity;
for (let round = 0; round < total; round++) {
  const created = await step("pending", () =>
    list.create({ subject: `r${round}`, description: "x".repeat(150) }, { name }),
  );
  if (!created?.ok) continue;
  const { id } = created.item;
  const claimed = await step("in_progress", () => list.claim(id, { name, holder: currentProcess() }));
  if (!claimed?.ok) continue;
  const own = { name, generation: claimed.item.generation };
  await step("in_progress", () => list.update(id, { metadata: { round } }, own));
  await step("completed", () => list.complete(id, own));
}
await list.close().catch((error: { code: string }) => say(`rejected ${error.code}`));
say("closed");
