import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["src", "demo", "web", "scripts", "rolldown.config.mjs", "package.json", "tsconfig.build.json"];

/** True if `dist` is complete and newer than every source. Folders count too: their time changes when a file is removed. */
export function isBuilt() {
  const program = join(root, "dist", "troupe.cjs");
  // The build writes the declarations last.
  const last = join(root, "dist", "types", "index.d.ts");
  if (![program, last, join(root, "dist", "web", "index.html")].every((file) => existsSync(file))) return false;
  const time = statSync(program).mtimeMs;
  return sources.every((source) => newest(join(root, source)) <= time);
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const times = readdirSync(path, { recursive: true }).map((name) => statSync(join(path, name)).mtimeMs);
  return Math.max(stat.mtimeMs, ...times);
}
