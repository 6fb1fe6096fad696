// `npm run soak -- --tests [FILTER…]`: the tests with kills, faults and load at full length, one file after the other.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const filters = process.argv.slice(3);
const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => join("test", file))
  .filter((file) => readFileSync(join(root, file), "utf8").includes("/soak-rounds.ts"))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
if (files.length === 0) {
  console.error(`No long test has ${filters.join(" or ")} in its path.`);
  process.exit(2);
}
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "--no-file-parallelism", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SOAK: "1" },
});
process.exitCode = status ?? 1;
