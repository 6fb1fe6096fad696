// `npm run soak -- OPTIONS`: the long runs. The first option chooses the run; without one, whole teams are simulated.
const runs = {
  "--corruptions": "./soak-corruptions.mjs",
  "--lines": "./soak-lines.mjs",
  "--tests": "./soak-tests.mjs",
  "--waits": "./soak-waits.mjs",
};
const [first = ""] = process.argv.slice(2);
await import(runs[first.split("=")[0]] ?? "../simulation/soak.mjs");
