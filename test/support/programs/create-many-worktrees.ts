import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId } from "../../../src/protocol/index.ts";
import { createWorktree, finishWorktree } from "../../../src/team/index.ts";

/**
 * Arguments: the repository, the home, the base, the number of worktrees at once. Prints one line of JSON: the ports
 * and the failures.
 */
const [cwd = "", home = "", base = "HEAD", count = "1"] = process.argv.slice(2);
const createId = createIdFactory(systemClock);
const env = { PATH: process.env["PATH"] ?? "" };
const place = { cwd, home, userHome: home, env, clock: systemClock, createId };
const made = await Promise.allSettled(
  Array.from({ length: Number(count) }, () => createWorktree(place, { agentId: createId<AgentId>("agt"), base })),
);
const failures = made.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
const worktrees = made.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
process.stdout.write(`${JSON.stringify({ failures, ports: worktrees.map(({ env }) => env["TROUPE_PORT_BASE"]) })}\n`);
// All are alive at the same time before the first one ends.
await new Promise<void>((resolve) => process.stdin.once("data", () => resolve()));
const finished = await Promise.all(worktrees.map(({ name }) => finishWorktree(place, { name })));
const ends = finished.map((end) => (end.outcome === "kept" ? `kept, ${end.reasons.join("; ")}` : end.outcome));
process.stdout.write(`${JSON.stringify(ends)}\n`);
process.stdin.destroy();
