import { createProcessScope } from "../../../src/platform/index.ts";

/** Starts a tree of child processes through a scope, then waits to be killed. Argument: the script to run. */
const scope = createProcessScope();
const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TOKEN: process.env["TOKEN"] ?? "" };
await scope.run({
  command: "bash",
  args: ["-c", process.argv[2] ?? ""],
  cwd: process.cwd(),
  env,
  onOutput: (chunk) => process.stdout.write(chunk),
});
process.stdout.write("\nfinished\n");
setInterval(() => undefined, 1000);
