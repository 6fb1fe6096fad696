// `npm run demo`: the program's own demo, on a fresh checkout too.
import "./setup.mjs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const troupe = fileURLToPath(new URL("../dist/troupe.js", import.meta.url));
const { status } = spawnSync(process.execPath, [troupe, "demo", ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
