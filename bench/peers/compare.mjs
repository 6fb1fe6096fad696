import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, quantile, round } from "../measure.mjs";
import { measurePrograms } from "./measure.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const worse = 1.05;
const figures = ["start", "turn", "exit", "agents", "memory"];

/**
 * Runs this build and the build of a commit in alternation. Prints, for each figure, the median of the ratios of the
 * rounds. Returns 1 if a figure got worse by more than 5 %.
 */
export async function compare(base) {
  if (base === undefined) {
    console.error("cannot compare: no commit is named. Run `npm run bench -- compare BASE`.");
    return 2;
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-compare-")));
  const tree = join(folder, "base");
  try {
    const commit = execFileSync("git", ["rev-parse", "--verify", `${base}^{commit}`], { cwd: root, encoding: "utf8" });
    execFileSync("git", ["worktree", "add", "--quiet", "--detach", tree, commit.trim()], { cwd: root });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: tree, stdio: ["ignore", "ignore", "inherit"] });
    cpSync(join(root, "dist"), join(folder, "new"), { recursive: true });
    return await report(folder, tree);
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", tree], { cwd: root, stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function report(folder, tree) {
  const settings = { sandbox: { mode: "off" } };
  const builds = [
    { name: "base", program: join(tree, "dist", "troupe.cjs"), settings },
    { name: "new", program: join(folder, "new", "troupe.cjs"), settings },
  ];
  const work = join(folder, "work");
  mkdirSync(work);
  const { values, failures } = await measurePrograms({ folder: work, rounds: 15, seconds: 120, builds });
  for (const [name, text] of Object.entries(failures)) console.log(`${name}: ${text}`);
  const rows = figures.map((figure) => {
    const before = values("base", figure);
    const ratios = values("new", figure).map((value, index) => value / before[index]);
    return { figure, base: median(before), now: median(values("new", figure)), ratios };
  });
  for (const { figure, base, now, ratios } of rows) {
    const spread = `${round(quantile(ratios, 0.25))} to ${round(quantile(ratios, 0.75))}`;
    const verdict = median(ratios) > worse ? "WORSE" : "";
    const cells = [figure.padEnd(8), `${round(base)} -> ${round(now)}`.padEnd(18), `${round(median(ratios))}×`, spread];
    console.log([...cells, verdict].join("  ").trimEnd());
  }
  const failed = Object.keys(failures).length > 0;
  return failed || rows.some(({ ratios }) => median(ratios) > worse) ? 1 : 0;
}
