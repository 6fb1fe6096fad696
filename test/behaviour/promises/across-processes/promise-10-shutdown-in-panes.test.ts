import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isIn, teamWorkplace } from "../../../support/cli/team-workplace.ts";
import { isRunning } from "../../../support/team/scripted-team.ts";

const script = `
import { existsSync } from "node:fs";
const request = (said) => /"request_id":"([^"]+)"(?![\\s\\S]*"request_id")/.exec(said)?.[1];
const refuse = (said) => ({ tool: "SendMessage", input: { to: "team-lead", message: { type: "shutdown_response", request_id: request(said), approve: false, reason: "the tests still run" } } });
export default (ask) => {
  if (ask.agent === "lead") return ask.turn > 1 ? { text: "waiting" } : { calls: [{ tool: "Agent", input: { description: "d", prompt: "look", name: "scout" } }] };
  if (existsSync("deaf")) return { text: "x", fault: { kind: "hang" } };
  if (ask.said.includes("asks you to end") && ask.result?.tool !== "SendMessage") return { calls: [refuse(ask.said)] };
  return { text: "done" };
};`;

test("promise 10: shell resumes a member without a lead, asks it to end, and kills it on timeout", async () => {
  const place = teamWorkplace(script);
  const env = { TMUX_TMPDIR: join(place.home, "tmux"), LANG: "C.UTF-8" };
  const shell = (...args: string[]) => place.run(["team", ...args], { env });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("scout", "idle"));
  lead.end();
  await lead.done;
  await place.nobodyLeft();

  expect(await shell("respawn", "alpha", "scout")).toMatchObject({
    code: 0,
    stdout: "scout is running again, in its own pane\n",
  });
  const { presence } = await place.files();
  await expect.poll(async () => (await presence.look("scout"))?.state).toBe("idle");
  const pid = place.pids()["scout"] ?? 0;
  expect(await shell("respawn", "alpha", "scout")).toMatchObject({
    code: 2,
    stderr: "troupe: cannot respawn scout: it is already running.\n",
  });
  expect(await shell("stop", "alpha", "scout")).toMatchObject({
    code: 1,
    stderr: "troupe: scout refused to shut down: the tests still run. Use --now to stop it without asking.\n",
  });
  expect(isRunning(pid)).toBe(true);

  place.write("deaf", "");
  writeFileSync(join(place.home, ".troupe", "settings.json"), JSON.stringify({ teams: { shutdownMs: 1000 } }));
  expect(await shell("stop", "alpha", "scout")).toMatchObject({
    code: 0,
    stdout: "scout did not answer within 1 s and was stopped\n",
  });
  await place.nobodyLeft();
  expect(await place.members()).toMatchObject([
    { name: "scout", ended: { reason: "killed", detail: "scout did not answer within 1 s" } },
  ]);
  expect(isRunning(pid)).toBe(false);
});

test("promise 10: resumed lead ends a member that the killed lead had asked to end", async () => {
  const place = teamWorkplace(script, { teams: { backend: "tmux", shutdownMs: 600_000 } });
  place.write("deaf", "");
  const first = place.lead();
  first.send({ type: "prompt", content: "go" });
  const id = await first.session();
  await first.until(isIn("scout", "working"));
  const pid = place.pids()["scout"] ?? 0;
  first.send({ type: "member.stop", name: "scout", id: "stop" });
  await first.until(isIn("scout", "draining"));
  first.child.kill("SIGKILL");
  await first.done;
  expect(isRunning(pid)).toBe(true);
  place.write("settings.json", { teams: { backend: "tmux", shutdownMs: 1000 } });
  const second = place.lead({ resume: id });
  await second.until(isIn("scout", "ended"));
  await expect.poll(() => isRunning(pid)).toBe(false);
  await expect
    .poll(async () => (await place.members())[0]?.ended)
    .toMatchObject({ reason: "killed", detail: "it did not answer in time" });
  second.end();
  await second.done;
  await place.nobodyLeft();
});
