// `npm test`: installs what the tests need, then runs them. Arguments go to vitest: `npm test -- loop`.
import "./setup.mjs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installTools } from "./test-tools.mjs";

installTools();
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
