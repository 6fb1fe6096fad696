// Runs the programs in alternation and prints the values as JSON. Its one argument is JSON: see `peers.mjs`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { interleave } from "../measure.mjs";
import { start } from "../start-up.mjs";
import { playAgents, playTurns } from "./play.mjs";
import { programs } from "./programs.mjs";
import { startModelServer } from "./model-server.mjs";

const { folder, rounds, seconds, turns, ...options } = JSON.parse(process.argv[2]);
const server = await startModelServer();
const failures = {};
const jobs = { turns: playTurns, agents: playAgents };
try {
  const installed = programs({ ...options, url: server.url }).filter(({ version }) => version !== undefined);
  const tasks = {
    "node -e 0": async () => {
      const { startedAt, ended } = start(["-e", "0"], { cwd: folder, env: { PATH: process.env.PATH } });
      await ended;
      return { start: performance.now() - startedAt };
    },
  };
  for (const program of installed) {
    program.home = join(folder, `home-${program.name.replace(" ", "-")}`);
    mkdirSync(program.home);
    program.prepareHome?.(program.home);
    for (const job of program.jobs) tasks[`${program.name} ${job}`] = () => attempt(program, jobs[job]);
  }
  let count = 0;
  const attempt = async (program, play) => {
    if (failures[program.name]) return {};
    const place = join(folder, `work-${++count}`);
    mkdirSync(place);
    try {
      return await play({ program, server, folder: place, turns });
    } catch (error) {
      failures[program.name] = error.message;
      return {};
    }
  };
  const seen = await interleave(tasks, { rounds, seconds, least: 3 });
  const versions = Object.fromEntries(installed.map(({ name, version }) => [name, version]));
  console.log(JSON.stringify({ seen, failures, versions }));
} finally {
  await server.close();
}
