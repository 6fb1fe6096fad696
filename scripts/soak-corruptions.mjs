// `npm run soak -- --corruptions N [--from SEED] [--jobs N]`: damages a home N times and runs commands on it.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { createCorruptionGround, playCorruption } from "./corruption-rounds.mjs";

const { values } = parseArgs({
  options: {
    corruptions: { type: "string" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});
const first = Number(values.from);
const end = first + Number(values.corruptions);
const ground = await createCorruptionGround();
const started = performance.now();
let next = first;
let faulty = 0;
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
} finally {
  ground.remove();
}
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${end - first} corruptions in ${seconds} s, ${faulty} with faults.`);
process.exitCode = faulty === 0 ? 0 : 1;

async function work() {
  while (next < end) {
    const { seed, done, faults } = await playCorruption(ground, next++);
    if (faults.length > 0) faulty += 1;
    for (const fault of faults) console.log(`seed ${seed}, ${done}: ${fault}`);
  }
}
