// claim-tasks INSIDES HOME NAME COUNT: tries to claim every task of the team, completes the claimed ones, and prints
// them.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [insides, home, name, count] = process.argv.slice(2);
const inside = (part) => import(pathToFileURL(join(insides, `${part}.js`)).href);
const { createFileTeamStore } = await inside("store");
const { createIdFactory, systemClock } = await inside("platform");
const team = await createFileTeamStore({ home, clock: systemClock, createId: createIdFactory(systemClock) }).open(
  "bench",
);
const won = [];
for (let id = 1; id <= Number(count); id++) {
  const claimed = await team.tasks.claim(id, { name });
  if (!claimed.ok) continue;
  won.push(id);
  await team.tasks.complete(id, { name, generation: claimed.item.generation });
}
await team.close();
process.send(won, () => process.disconnect());
