import { createProcessScope, loadSandbox, type Walls, wallsProblem } from "../../../src/platform/index.ts";

/** run-sandboxed FOLDER SCRIPT: prints why there is no sandbox, or runs the script in one. Then waits to be killed. */
const [folder = "/", script = ""] = process.argv.slice(2);
const sandbox = await loadSandbox({ hosts: [] });
const walls: Walls = {
  writable: [folder],
  protectedPaths: [`${folder}/.git`],
  hidden: [],
  readable: [],
  network: "none",
};
const problem = (await sandbox.problem()) ?? wallsProblem(walls);
if (problem === undefined) {
  const env = { PATH: process.env["PATH"] ?? "", TOKEN: process.env["TOKEN"] ?? "" };
  const entered = await sandbox.enter({ command: "/bin/bash", args: ["-c", script], cwd: folder, env }, walls);
  await createProcessScope().run({ ...entered.request, onOutput: (chunk) => process.stdout.write(chunk) });
  await entered.release();
  console.log("released");
  setInterval(() => undefined, 1000);
} else {
  console.log(`problem: ${problem}`);
  await sandbox.close();
}
