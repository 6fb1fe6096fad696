import { mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { startSession } from "../../../src/session/start-session.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import { createScriptedModel } from "../../../src/testing.ts";
import { followed, smallDisk } from "../disk/small-disk.ts";

/**
 * end-teammate-on-full-disk FOLDER [close]: stops a teammate that has a task while the disk is full, or closes the
 * session. Prints the result.
 */
const [folder = "", how = "end"] = process.argv.slice(2);
const cwd = join(folder, "project");
mkdirSync(cwd);
const disk = smallDisk(folder);

const spawn = { tool: "Agent", input: { description: "look", prompt: "find it", name: "scout" } };
const model = createScriptedModel(
  ({ agent, turn, said }) => {
    if (agent === "lead") return turn === 1 ? { calls: [spawn] } : { text: "waiting" };
    return said.includes("fix the parser") ? { text: "x", fault: { kind: "hang" } } : { text: "ready" };
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
const { until, broken } = followed(session);
await session.dispatch({ type: "prompt", content: "go" });
await until(({ event }) => event.type === "mail.received" && event.from === "scout");
await session.dispatch({ type: "task.create", team: "alpha", subject: "fix the parser" });
await until(({ event }) => event.type === "task.claimed");
await until(({ event }) => event.type === "turn.started" && event.turn === 2);
disk.fill();
let ack: unknown;
if (how === "end") {
  // More than the last page of any file has left.
  const reason = "it is not needed any more ".repeat(400);
  const stopped = session.dispatch({ type: "member.stop", team: "alpha", name: "scout", now: true, reason });
  // It has ended, and the record of that did not fit on the disk at least once.
  await until(({ event }) => event.type === "member.changed" && event.name === "scout" && event.alive === "dead");
  await systemClock.sleep(1_500);
  disk.free();
  ack = await stopped;
  await session.dispatch({ type: "prompt", content: "still there?" });
  await until(({ event }) => event.type === "turn.ended" && event.turn === 3);
}
const before = performance.now();
await session.close();
const tookMs = performance.now() - before;
if (how !== "end") disk.free();
const store = createFileTeamStore({
  home: join(folder, ".troupe"),
  clock: systemClock,
  createId: createIdFactory(systemClock),
});
const team = await store.open("alpha");
const member = (await team.record.read()).members.find(({ name }) => name === "scout");
const [task] = await team.tasks.list();
await team.close();
writeSync(1, JSON.stringify({ ack, ended: member?.ended?.reason, task: task?.status, broken: broken(), tookMs }));
process.exit();
