import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId } from "../../../src/protocol/index.ts";
import { createWorktree, finishWorktree, land } from "../../../src/team/index.ts";

/**
 * Arguments: the repository, the home, the action, and the step before which to die. Without such a step it prints
 * `done` and all steps.
 */
const [cwd = "", home = "", what = "", lastStep = ""] = process.argv.slice(2);
const createId = createIdFactory(systemClock);
const env = { PATH: process.env["PATH"] ?? "", TROUPE_PID: process.env["TROUPE_PID"] ?? "" };
const place = { cwd, home, userHome: home, env, clock: systemClock, createId };
const steps: string[] = [];
const onStep = (step: string) => {
  steps.push(step);
  if (step === lastStep) process.kill(process.pid, "SIGKILL");
};
if (what === "create") {
  const settings = { copy: [".env"], setup: "echo made > made.local; mkdir dist; echo junk > junk.txt" };
  await createWorktree(place, { agentId: createId<AgentId>("agt"), settings, onStep });
} else if (what === "remove") {
  const { name } = await createWorktree(place, { agentId: createId<AgentId>("agt") });
  await finishWorktree(place, { name, onStep });
} else {
  await land(place, { branches: ["one", "two"], settings: { check: "test -f a.txt" }, onStep });
}
process.stdout.write(`done ${steps.join(",")}\n`);
