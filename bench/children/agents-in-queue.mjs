// Runs 200 agents through 16 slots in one process. Prints the time, and the memory and open logs on the way. Arguments:
// library, folder.
import { mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { benchModel, call, openTeam, spawning, words } from "../team-model.mjs";

const [library, folder] = process.argv.slice(2);
const agents = 200;
const delayMs = 100;
const turns = 4;
const places = 16;

const held = () => {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed: heapUsed + external };
};

const model = benchModel({
  delayMs: ({ caller }) => (caller.agentPath === "lead" ? 0 : delayMs),
  answer: ({ caller, messages }) => {
    if (caller.agentPath === "lead") return messages.length > 1 ? words("finished") : spawning(agents);
    return caller.turn < turns ? call("Tick", {}) : words("done ".repeat(20));
  },
});

let count = 0;
const emptyFolder = () => {
  const path = join(folder, `own-${++count}`);
  mkdirSync(path);
  return path;
};
const session = await openTeam({ library, emptyFolder }, { model });
const rows = [];
let ended = 0;
const following = (async () => {
  for await (const { event, agent } of session.events()) {
    if (event.type !== "agent.idle" || agent === session.view().lead) continue;
    ended += 1;
    if (ended === 50) rows.push({ ended, ...held() });
  }
})();
const started = performance.now();
const { reason } = await session.ask("go on");
const time = performance.now() - started;
rows.push({ ended: agents, ...held() });
const openLogs = countOpenLogs();
await session.close();
await following;
if (reason !== "completed") throw new Error(reason);
console.log(JSON.stringify({ ideal: (agents * turns * delayMs) / places, time, rows, openLogs }));

/** Counts open files according to the system; 0 if unknown. */
function countOpenLogs() {
  if (process.platform !== "linux") return 0;
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes("/subagents/");
    } catch {
      return false; // closed since the folder was read
    }
  }).length;
}
