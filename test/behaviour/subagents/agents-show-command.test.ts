import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { StoredEnvelope } from "../../../src/protocol/index.ts";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { fault } from "../../support/mcp/mcp-servers.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const model = ["--model", "scripted/s.json"];
const start = { tool: "Agent", input: { description: "do it", prompt: "work", subagent_type: "keen", name: "k" } };

function scripted({ write }: Workplace, child: readonly object[]) {
  const steps = [{ calls: [start] }, { text: "it said: {{result}}" }];
  write("s.json", { version: 1, agents: { lead: { steps }, "lead/k": { steps: child } } });
}

const agents = (more: object = {}) => [
  "--agents",
  JSON.stringify({ keen: { description: "k", prompt: "You are keen.", ...more } }),
];

test("troupe agents show prints an agent's activity by name, path and id, from any folder", async () => {
  const place = workplace();
  scripted(place, [{ text: "I have worked." }]);
  await place.run(["-p", "go", ...model, ...agents()]);
  const byName = await place.run(["agents", "show", "k"]);
  expect(byName.code).toBe(0);
  expect(byName.stdout).toMatch(
    /^# Session ses[\s\S]*## lead\/k[\s\S]*- Type: keen[\s\S]*> work[\s\S]*> I have worked\.[\s\S]*## Cost/,
  );
  expect(byName.stdout).not.toContain("it said:");
  expect((await place.run(["agents", "show", "lead/k"])).stdout).toBe(byName.stdout);
  expect((await place.run(["agents", "show", "lead"])).stdout).toContain("it said: I have worked.");

  const json = await place.run(["agents", "show", "lead/k", "--json"]);
  const envelopes = json.stdout
    .trim()
    .split("\n")
    .map((line) => StoredEnvelope.parse(JSON.parse(line)));
  expect(envelopes[0]?.event).toMatchObject({ type: "agent.spawned", path: "lead/k" });
  const { agent = "", session = "" } = envelopes[0] ?? {};
  const elsewhere = await place.run(["agents", "show", agent], { cwd: place.home });
  expect(elsewhere.stdout).toBe(byName.stdout);
  expect((await place.run(["agents", "show", "k"], { cwd: place.home })).code).toBe(2);
  const named = await place.run(["agents", "show", "k", "--session", session], { cwd: place.home });
  expect(named.stdout).toBe(byName.stdout);
  // An agent type of that name takes precedence.
  expect(
    (await place.run(["agents", "show", "k", "--agents", JSON.stringify({ k: { description: "d", prompt: "p" } })]))
      .stdout,
  ).toMatch(/^name +k\n/);
});

test("of two agents with one path the one of the newer session is shown", async () => {
  const place = workplace();
  for (const words of ["first", "second"]) {
    scripted(place, [{ text: words }]);
    await place.run(["-p", "go", ...model, ...agents()]);
  }
  const { stdout } = await place.run(["agents", "show", "k"]);
  expect(stdout).toContain("> second");
  expect(stdout).not.toContain("> first");
});

test("MCP server of an agent does not outlive a killed program", async () => {
  const place = workplace();
  const token = randomUUID();
  scripted(place, [{ calls: [{ tool: "mcp__own__hang", input: {} }] }]);
  const mcpServers = { own: fault({ token }) };
  const troupe = place.start([
    "-p",
    "go",
    ...model,
    ...agents({ mcpServers }),
    "--permission-mode",
    "bypassPermissions",
    "--output-format",
    "stream-json",
  ]);
  await troupe.saw(/"type":"tool.called"[^\n]*mcp__own__hang/);
  expect(processesWith(token).filter((pid) => pid !== troupe.child.pid)).not.toEqual([]);
  troupe.child.kill("SIGKILL");
  await troupe.done;
  await until("the server is gone", () => processesWith(token).length === 0);
});
