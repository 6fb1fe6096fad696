import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { type AgentId, TroupeError } from "../../../src/protocol/index.ts";
import { createWorktree } from "../../../src/team/index.ts";

/** Arguments: the repository, the home, the folder for worktrees. Prints the result. */
const [cwd = "", home = "", folder = ""] = process.argv.slice(2);
const createId = createIdFactory(systemClock);
const env = { PATH: process.env["PATH"] ?? "" };
try {
  const place = { cwd, home, userHome: home, env, clock: systemClock, createId };
  const made = await createWorktree(place, { agentId: createId<AgentId>("agt"), settings: { folder } });
  process.stdout.write(`made ${made.path}\n`);
} catch (error) {
  if (!TroupeError.is(error)) throw error;
  process.stdout.write(`${error.code}: ${error.message}\n`);
}
