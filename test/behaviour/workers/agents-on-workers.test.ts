import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { allMessages } from "../../support/bus/all-messages.ts";
import { startProxy } from "../../support/bus/tcp-proxy.ts";
import { branchOf, eventsOf, gitIn, heard, holdUp, key, pool } from "../../support/workers/worker-pool.ts";
import { bypass } from "../../support/cli/workplace.ts";

test("remote agent: events in the lead's log, commits as a branch, nothing left on the bus", async () => {
  const place = await pool();
  const worker = await place.worker("north");
  const { code, stdout, stderr } = await place.run().done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const envelopes = eventsOf(stdout);
  const branch = branchOf(place.lead);
  expect(branch).toMatch(/^troupe\/agent-/);
  expect(heard(envelopes)).toContain(`on the branch ${branch}`);
  expect(heard(envelopes)).toContain("both are written");
  expect(heard(envelopes)).toMatch(/Bash|command/);
  expect(gitIn(place.lead, "log", "--format=%an %s", `main..${branch}`).trim().split("\n")).toEqual([
    "Ada Uncommitted changes of lead/writer",
    "Ada one",
  ]);
  expect(gitIn(place.lead, "show", `${branch}:two.txt`)).toBe("two\n");
  const spawned = envelopes.find(({ event }) => event.type === "agent.spawned" && event.remote);
  const own = envelopes.filter(({ agent }) => agent === spawned?.agent).map(({ event }) => event.type);
  for (const type of [
    "prompt.admitted",
    "prompt.promoted",
    "turn.ended",
    "tool.settled",
    "cost.recorded",
    "agent.idle",
  ])
    expect(own).toContain(type);
  expect(own.filter((type) => type === "prompt.admitted")).toHaveLength(1);
  const left = await allMessages(place.server.url);
  expect([left.includes(key), left.includes("lead/writer")]).toEqual([false, false]);
  worker.child.kill("SIGTERM");
  await worker.done;
});

test("killed worker: another one continues from the commits; no key is in any stream", async () => {
  const place = await pool();
  const mark = holdUp(place.lead);
  const first = await place.worker("north", [], { TROUPE_TEST_WAIT: mark });
  const running = place.run();
  await running.saw(/"type":"tool.called"[^\n]*while test -e/);
  await first.saw(/: commit \w+ is on the bus/);
  const stored = await allMessages(place.server.url);
  expect([stored.includes("TROUPE_TEST_WAIT="), stored.includes(key)]).toEqual([true, false]);
  first.child.kill("SIGKILL");
  const second = await place.worker("south");
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  const envelopes = eventsOf(stdout);
  expect(heard(envelopes)).toContain("taken over");
  const branch = branchOf(place.lead);
  expect(gitIn(place.lead, "log", "--format=%s", `main..${branch}`).trim().split("\n")).toEqual(["two", "one"]);
  const notices = envelopes.flatMap(({ event }) => (event.type === "notice.raised" ? [event.message] : []));
  expect(notices).toContain("Worker north was lost; south continues from the committed work.");
  second.child.kill("SIGTERM");
  await second.done;
});

test("worker cut off from the bus: another adopts the job, and late writes of the first are ignored", async () => {
  const place = await pool();
  const mark = holdUp(place.lead);
  const wall = await startProxy(place.server.port);
  onTestFinished(() => wall.close());
  const through = place.server.url.replace(`:${place.server.port}`, `:${wall.port}`);
  const first = await place.worker("north", ["--bus", through], { TROUPE_TEST_WAIT: mark });
  const running = place.run();
  await first.saw(/: commit \w+ is on the bus/);
  await running.saw(/"type":"tool.called"[^\n]*while test -e/);
  wall.cut();
  const second = await place.worker("south");
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  rmSync(mark);
  wall.heal();
  await first.saw(/was lost to another worker/);
  const envelopes = eventsOf(stdout);
  expect(heard(envelopes)).toContain("taken over");
  expect(
    gitIn(place.lead, "log", "--format=%s", `main..${branchOf(place.lead)}`)
      .trim()
      .split("\n"),
  ).toEqual(["two", "one"]);
  for (const worker of [first, second]) worker.child.kill("SIGTERM");
  for (const worker of [first, second]) await worker.done;
});

/** The lead starts an agent of the type `painter`, which runs one command. */
const asking = `
export default (ask) => {
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "draw", prompt: "draw it", subagent_type: "painter", name: "painter" } }] }
      : { text: "lead heard: " + ask.result.text };
  return ask.turn === 1 ? { text: "", calls: [{ tool: "Bash", input: { command: "touch picture" } }] } : { text: "painted, " + (ask.result.isError ? "not" : "well") };
};`;

const painter = JSON.stringify({
  painter: { description: "paints", prompt: "You paint.", isolation: "remote", labels: ["gpu"] },
});

test("only a worker with the labels claims the job; its mode holds; the lead is asked over the bus", async () => {
  const place = await pool(asking);
  const plain = await place.worker("plain");
  const running = place.lead.start([
    "-p",
    "--bus",
    place.server.url,
    "--model",
    place.model,
    ...bypass,
    "--agents",
    painter,
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
  ]);
  running.write(JSON.stringify({ type: "prompt", content: "go" }));
  await running.saw(/"type":"agent.spawned"[^\n]*lead\/painter/);
  const painting = await place.worker("gpu", ["--labels", "gpu,linux", "--permission-mode", "default"]);
  const seen = await running.saw(/"type":"permission.asked"[^\n]*\n/);
  const asked = eventsOf(seen.slice(0, seen.lastIndexOf("\n"))).flatMap(({ event }) =>
    event.type === "permission.asked" ? [event] : [],
  );
  expect(asked).toMatchObject([{ tool: "Bash", input: { command: "touch picture" } }]);
  running.write(
    JSON.stringify({ type: "permission.reply", requestId: asked[0]?.requestId, answer: { behavior: "allow" } }),
  );
  await running.saw(/lead heard[^\n]*painted, well/);
  running.end();
  const { stdout } = await running.done;
  expect(heard(eventsOf(stdout))).toContain("No worker with the labels gpu is available yet");
  expect(gitIn(place.lead, "ls-tree", "--name-only", branchOf(place.lead))).toContain("picture");
  plain.child.kill("SIGTERM");
  expect((await plain.done).stdout).not.toContain(") starts");
  painting.child.kill("SIGTERM");
  await painting.done;
});

test("job that no worker claims waits for the configured time and says so; without a bus it fails", async () => {
  const place = await pool();
  const settings = JSON.stringify({ bus: { leaseMs: 1000, workerWaitMs: 2000 } });
  const { stdout } = await place.run(["--settings", settings]).done;
  expect(heard(eventsOf(stdout))).toMatch(/no worker has claimed it for \d+ s/);
  const alone = await place.lead.run(["-p", "go", "--model", place.model, ...bypass]);
  expect(alone.stdout).toMatch(/isolation/);
});
