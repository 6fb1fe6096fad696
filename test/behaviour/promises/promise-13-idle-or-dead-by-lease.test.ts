import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { heldBackend, type LedTeam, ledTeam, wishFor } from "../../support/team/led-team.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("run-teammate.ts");
});
afterAll(() => program.remove());

test("promise 13: lease tells an idle member from a silent process and from a dead one", async () => {
  const { led, child, status, poll } = await withProcess();
  await poll(status, { state: "idle", alive: "alive" });
  child().kill("SIGSTOP");
  // Its own state is unchanged, but it does not count as alive.
  await poll(status, { state: "idle", alive: "unknown", detail: expect.stringContaining("no sign of life") as string });
  child().kill("SIGCONT");
  await poll(status, { state: "idle", alive: "alive" });
  child().kill("SIGKILL");
  await poll(async () => (await led.stored.presence.look("scout"))?.alive, "dead");
  await led.team.stop("scout", { now: true });
});

test("promise 13: lead ends a silent member, records the reason, and releases its tasks", async () => {
  const { led, child, status, poll } = await withProcess({ silentMs: 1000 });
  await poll(status, { state: "idle", alive: "alive" });
  await led.stored.tasks.create({ subject: "paint", description: "", needs: ["Paintbrush"] }, { name: "team-lead" });
  await led.stored.tasks.update(1, { owner: "scout" }, { name: "team-lead" });
  const gone = once(child(), "close");
  child().kill("SIGSTOP");
  await poll(status, {
    state: "ended",
    alive: "dead",
    detail: expect.stringMatching(/^lost: .*sent no heartbeat/) as string,
  });
  await gone;
  const { members } = await led.stored.record.read();
  expect(members).toMatchObject([{ name: "team-lead" }, { name: "scout", ended: { reason: "lost" } }]);
  await poll(async () => (await led.stored.tasks.get(1))?.owner, undefined);
  const notices = () => led.recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));
  await poll(notices, expect.arrayContaining([expect.stringContaining("Your teammate scout is gone: its process")]));
});

/** A lead and a member that is a real process. */
async function withProcess(more: { readonly silentMs?: number } = {}) {
  let started: ChildProcess | undefined;
  const child = () => {
    if (!started) throw new Error("it was not started");
    return started;
  };
  const led: LedTeam = await ledTeam({
    ...more,
    backend: heldBackend({
      start: async ({ cwd, name }) => {
        const env = {
          PATH: process.env["PATH"],
          HOME: led.tree.path("home"),
          TROUPE_HOME: led.tree.path("home/.troupe"),
        };
        started = spawn(process.execPath, [program.path, cwd, "alpha", name], {
          env,
          stdio: ["ignore", "ignore", "inherit"],
        });
        onTestFinished(() => void started?.kill("SIGKILL"));
      },
      kill: async () => void child().kill("SIGKILL"),
    }),
  });
  const cwd = led.tree.path("home");
  writeFileSync(join(cwd, "s.mjs"), `export default () => ({ text: "done" });`);
  await led.team.spawn({ ...wishFor("scout", "call_1"), cwd, model: "scripted/s.mjs" });
  const status = () => led.team.statuses().find(({ name }) => name === "scout");
  const poll = (what: () => unknown, like: unknown) =>
    expect.poll(what)[typeof like === "object" ? "toMatchObject" : "toBe"](like as object);
  return { led, child, status, poll };
}
