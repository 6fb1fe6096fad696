// `npm run soak -- --lines N [--seed N] [--most N] [--walls]`: judges generated command lines, and runs the allowed ones
// for real: without the sandbox in a throw-away folder, or with `--walls` behind the real walls in every mode.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { library } from "../rolldown.config.mjs";

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    /** Maximum number of allowed lines that run, for each policy. */
    most: { type: "string", default: "50000" },
    walls: { type: "boolean", default: false },
  },
});
const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache");
mkdirSync(folder, { recursive: true });
const file = join(folder, `lines-${process.pid}.mjs`);
const { platform, resolve, external, transform } = library;
const input = `test/support/lines/${values.walls ? "check-walled-lines" : "check-lines"}.ts`;
const bundle = await rolldown({ platform, resolve, external, transform, cwd: root, input, logLevel: "silent" });
try {
  await bundle.write({ file, format: "esm", codeSplitting: false });
} finally {
  await bundle.close();
}
const batch = values.walls ? 1_000 : 5_000;
let [judged, wrong] = [0, 0];
const ran = new Map();
try {
  const { checkLines, checkWalledLines } = await import(pathToFileURL(file).href);
  for (let seed = Number(values.seed); judged < Number(values.lines); seed++) {
    const lines = Math.min(batch, Number(values.lines) - judged);
    const most = Math.max(0, Math.ceil((Number(values.most) * lines) / Number(values.lines)));
    const report = await (values.walls ? checkWalledLines : checkLines)({ seed, lines, most });
    judged += report.judged;
    for (const [name, count] of Object.entries(report.ran)) ran.set(name, (ran.get(name) ?? 0) + count);
    wrong += report.wrong.length;
    for (const { line, fault, ...where } of report.wrong)
      console.log(`${Object.values(where).join()}: ${JSON.stringify(line)}: ${fault}`);
    for (const line of new Set(report.asked)) console.log(`asked about an ordinary line: ${JSON.stringify(line)}`);
    const counts = [...ran].map(([name, count]) => `${count} (${name})`).join(", ");
    console.log(`${judged} lines judged, run: ${counts}, ${wrong} wrongly allowed, next seed ${seed + 1}.`);
  }
} finally {
  rmSync(file);
}
process.exitCode = wrong === 0 ? 0 : 1;
