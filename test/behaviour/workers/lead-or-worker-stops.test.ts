import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { branchOf, eventsOf, gitIn, heard, holdUp, pool, settle } from "../../support/workers/worker-pool.ts";

/** Like the other script, with a lead that takes another prompt and gets notices of background jobs. */
const script = `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 90000 } }] });
const commit = (name) => bash("echo " + name + " > " + name + ".txt && git add -A && git commit -qm " + name);
export default (ask) => {
  if (ask.agent === "lead") {
    if (ask.said.includes("<task-notification>")) return { text: "lead heard: " + ask.said };
    if (ask.said !== "go") return { text: "lead says yes" };
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write one and two", subagent_type: "general-purpose", name: "writer", isolation: "remote" } }] }
      : { text: "lead heard: " + ask.result.text };
  }
  if (ask.said.includes("The machine that started this job is gone"))
    return ask.turn === 1 ? commit("two") : { text: "taken over" };
  if (ask.turn === 1) return commit("one");
  if (ask.turn === 2) return bash("while test -e " + process.env.TROUPE_TEST_WAIT + "; do sleep 0.1; done");
  if (ask.turn === 3) return commit("two");
  return { text: "both are written" };
};`;

/** A lead whose agent has committed once on the worker north and waits there. */
async function inTheMiddle(bus: Record<string, number> = {}) {
  const place = await pool(script);
  const mark = holdUp(place.lead);
  const north = await place.worker("north", [], { TROUPE_TEST_WAIT: mark });
  const settings = JSON.stringify({ bus: { leaseMs: 1500, workerWaitMs: 20_000, ...bus } });
  const lead = place.run(["--settings", settings]);
  const [, id = ""] = /"sessionId":"(ses_\w+)"/.exec(await lead.saw(/"sessionId":"ses_\w+"/)) ?? [];
  await lead.saw(/"type":"tool.called"[^\n]*while test -e/);
  await north.saw(/: commit \w+ is on the bus/);
  const resume = () => place.run(["--settings", settings, "--resume", id], "and now?");
  return { place, mark, north, lead, resume };
}

const commitsOf = (place: Awaited<ReturnType<typeof pool>>) =>
  gitIn(place.lead, "log", "--format=%s", `main..${branchOf(place.lead)}`)
    .trim()
    .split("\n");

test("lead killed: its agent continues; result and branch arrive when the session resumes", async () => {
  const { place, mark, north, lead, resume } = await inTheMiddle();
  lead.child.kill("SIGKILL");
  const { stdout: before } = await lead.done;
  const again = resume();
  await again.saw(/"type":"agent.spawned"|lead says yes/);
  rmSync(mark);
  const { code, stdout } = await again.done;
  expect(code).toBe(0);
  const events = eventsOf(stdout);
  expect(heard(events)).toContain("both are written");
  expect(heard(events)).toContain(`on the branch ${branchOf(place.lead)}`);
  expect(commitsOf(place)).toEqual(["two", "one"]);
  const writer = eventsOf(before).find(({ event }) => event.type === "agent.spawned" && event.remote)?.agent;
  const settled = events.filter(({ agent, event }) => agent === writer && event.type === "tool.settled");
  expect(settled.map(({ event }) => event.type === "tool.settled" && event.outcome)).toEqual(["ok", "ok"]);
  await settle(north);
});

test("lead gone too long: the worker stops its agent; its work is fetched on resume", async () => {
  const { place, north, lead, resume } = await inTheMiddle({ leadWaitMs: 2000 });
  lead.child.kill("SIGKILL");
  await lead.done;
  await north.saw(/lead\/writer \(job_\w+\) interrupted/);
  const { code, stdout } = await resume().done;
  expect(code).toBe(0);
  expect(heard(eventsOf(stdout))).toContain(`on the branch ${branchOf(place.lead)}`);
  expect(commitsOf(place)).toEqual(["one"]);
  await settle(north);
});

for (const [words, signals] of [
  ["SIGTERM", ["SIGTERM"]],
  ["a second interrupt", ["SIGINT", "SIGINT"]],
] as const)
  test(`${words}: the worker releases its job with the commits to another worker`, async () => {
    const { place, north, lead } = await inTheMiddle();
    const south = await place.worker("south");
    const [first, second] = signals;
    north.child.kill(first);
    if (second) {
      await north.saw(/claims no more jobs/);
      north.child.kill(second);
    }
    await north.done.then(({ stdout }) =>
      expect(stdout).toMatch(/lead\/writer \(job_\w+\) was released to other workers/),
    );
    const { code, stdout } = await lead.done;
    expect(code).toBe(0);
    expect(heard(eventsOf(stdout))).toContain("taken over");
    expect(commitsOf(place)).toEqual(["two", "one"]);
    await settle(south);
  });

test("first interrupt: the worker claims no more jobs and finishes those it has", async () => {
  const { place, mark, north, lead } = await inTheMiddle();
  north.child.kill("SIGINT");
  await north.saw(/claims no more jobs/);
  const south = await place.worker("south");
  rmSync(mark);
  const { stdout } = await lead.done;
  expect(heard(eventsOf(stdout))).toContain("both are written");
  const left = await north.done;
  expect(left.stdout).toMatch(/lead\/writer \(job_\w+\) completed/);
  south.child.kill("SIGTERM");
  expect((await south.done).stdout).not.toContain(") starts");
});
