import { createFolderWatcher, idMaker, systemClock } from "../../../src/platform/index.ts";
import { createTeamLimits } from "../../../src/team/team-limits.ts";

/** hold-places FILE COUNT: takes so many places, says so, and keeps them until it is killed. */
const [path = "", count = "1"] = process.argv.slice(2);
const limits = createTeamLimits({
  path,
  watcher: createFolderWatcher(),
  clock: systemClock,
  createId: idMaker(systemClock),
}).of({ who: "held", member: "scout@alpha" });
for (let times = 0; times < Number(count); times++) await limits.admit({ parentDepth: 0 });
limits.lendOwn();
process.stdout.write("held\n");
setInterval(() => undefined, 60_000);
