import { mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/index.ts";
import type { Envelope } from "../../../src/protocol/index.ts";
import { startSession } from "../../../src/session/start-session.ts";
import { createScriptedModel } from "../../../src/testing.ts";
import { followed, smallDisk } from "../disk/small-disk.ts";

/**
 * team-on-full-disk FOLDER: a lead and its teammate work while the small disk fills up and after it is free again.
 * Prints what happened.
 */
const folder = process.argv[2] ?? "";
const cwd = join(folder, "project");
mkdirSync(cwd);
const disk = smallDisk(folder);

const model = createScriptedModel(
  ({ agent, turn, said }) => {
    if (agent === "lead" && turn === 1)
      return { calls: [{ tool: "Agent", input: { description: "look", prompt: "find it", name: "scout" } }] };
    if (agent === "lead") return { text: said.includes("in src/parse.ts") ? "heard" : "waiting" };
    disk.fill();
    return { text: "in src/parse.ts" };
  },
  { clock: systemClock, cwd },
);
const session = await startSession({
  cwd,
  env: { HOME: folder, PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
  flags: { permissionMode: "bypassPermissions", team: "alpha" },
  asker: "nobody",
  model,
});
const { envelopes, until, broken } = followed(session);
await session.dispatch({ type: "prompt", content: "go" });
const isScouts = ({ event }: Envelope) => event.type === "agent.spawned" && event.path === "scout@alpha";
await until(isScouts);
const scout = envelopes.find(isScouts)?.agent;
await until(({ event, agent }) => agent === scout && event.type === "agent.idle");
// Its report does not fit on the disk yet: it has tried at least once.
await systemClock.sleep(300);
disk.free();
const isHeard = ({ event }: Envelope) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("heard");
const isBroken = ({ event }: Envelope) => event.type === "agent.stopped";
await until((envelope) => isHeard(envelope) || isBroken(envelope));
await session.close();
writeSync(1, JSON.stringify({ heard: envelopes.some(isHeard), broken: broken() }));
process.exit();
