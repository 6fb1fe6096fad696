// Claims a task in a team with the built library and waits to be killed.
import { openTeam } from "../../../dist/index.js";

const [name, home, claimer] = process.argv.slice(2);
const team = await openTeam(name, { home });
const { ok } = await team.tasks.claim(1, { name: claimer });
process.stdout.write(`${ok}\n`);
setInterval(() => undefined, 60_000);
