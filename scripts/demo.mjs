// `npm run demo`: the program's own demo, on a fresh checkout too.
import "./setup.mjs";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const troupe = fileURLToPath(new URL("../dist/troupe.cjs", import.meta.url));
const demo = spawn(process.execPath, [troupe, "demo", ...process.argv.slice(2)], { stdio: "inherit" });
// The terminal tells both of Ctrl+C. The demo then removes what it has made, and this waits for it.
process.on("SIGINT", () => undefined);
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => demo.kill(signal));
demo.on("close", (code) => {
  process.exitCode = code ?? 1;
});
