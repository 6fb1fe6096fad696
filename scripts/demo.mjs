// `npm run demo`: runs the program's demo, also on a fresh checkout.
import "./setup.mjs";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const troupe = fileURLToPath(new URL("../dist/troupe.cjs", import.meta.url));
const demo = spawn(process.execPath, [troupe, "demo", ...process.argv.slice(2)], { stdio: "inherit" });
// The terminal sends Ctrl+C to both processes. The demo then removes its files, and this process waits for it.
process.on("SIGINT", () => undefined);
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => demo.kill(signal));
demo.on("close", (code) => {
  process.exitCode = code ?? 1;
});
