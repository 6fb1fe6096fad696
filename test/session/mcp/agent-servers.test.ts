import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { processesWith } from "../../support/processes/live-processes.ts";
import { agent, lead, resultOf, teamSession, type TeamOptions } from "../../support/team/team-session.ts";
import { fault } from "../../support/mcp/mcp-servers.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

/** The definition as one line of YAML. */
const definition = (head: Readonly<Record<string, unknown>>) =>
  `---\nname: keen\ndescription: k\n${Object.entries(head)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")}---\nYou are keen.\n`;

const call = (tool: string, input: object = {}) => ({ calls: [{ tool, input }] });
const system = (ask: { request: { system: readonly unknown[] } } | undefined) => JSON.stringify(ask?.request.system);
const toolsOf = (ask: { request: { tools: readonly { name: string }[] } } | undefined) =>
  ask?.request.tools.map(({ name }) => name) ?? [];

/** A session whose lead starts one agent of the definition. */
function keen(
  head: Readonly<Record<string, unknown>>,
  { child = () => ({ text: "done" }), ...more }: Partial<TeamOptions> & { child?: Parameters<typeof lead>[1] } = {},
) {
  return teamSession({
    ...more,
    files: { "home/.troupe/agents/keen.md": definition(head), ...more.files },
    answer: more.answer ?? lead([{ calls: [agent("work", { subagent_type: "keen" })] }, { text: "over" }], child),
  });
}

const starts = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);

test.each([
  ["a list", (server: object) => [{ own: server }]],
  ["an object", (server: object) => ({ own: server })],
])("an agent's own server, as %s, is there from its first request, for it alone, and ends with it", async (_, form) => {
  const tree = tempTree({ "home/x": "" });
  const countFile = tree.path("starts");
  const team = await keen(
    { mcpServers: form(fault({ countFile })) },
    {
      child: (ask) =>
        ask.turn === 1 ? call("mcp__own__echo", { text: "heard" }) : { text: `it said ${ask.result?.text}` },
    },
  );
  await team.ask("go");
  expect(resultOf(team).text).toMatch(/^it said heard/);
  expect(toolsOf(team.asked(/^lead\//)[0])).toContain("mcp__own__echo");
  expect(toolsOf(team.asked("lead")[1])).not.toContain("mcp__own__echo");
  expect(starts(countFile)).toHaveLength(1);
  expect(processesWith(countFile)).toEqual([]);
});

test("a resumed agent gets its server again", async () => {
  const tree = tempTree({ "home/x": "" });
  const countFile = tree.path("starts");
  const spoken = { tool: "SendMessage", input: { to: "k", message: "again" } };
  const team = await keen(
    { mcpServers: { own: fault({ countFile }) } },
    {
      answer: lead(
        [{ calls: [agent("work", { subagent_type: "keen", name: "k" })] }, { calls: [spoken] }, { text: "over" }],
        (ask) =>
          ask.turn % 2 === 1 ? call("mcp__own__echo", { text: `turn ${ask.turn}` }) : { text: ask.result?.text ?? "" },
      ),
    },
  );
  await team.ask("go");
  await team.quiet();
  const words = team.all("tool.settled", "lead/k").map(({ outcome, content }) => [outcome, JSON.stringify(content)]);
  expect(words).toEqual([
    ["ok", expect.stringContaining("turn 1")],
    ["ok", expect.stringContaining("turn 3")],
  ]);
  expect(starts(countFile)).toHaveLength(2);
  expect(processesWith(countFile)).toEqual([]);
});

test.each(["interrupt", "close"] as const)("its server ends with the agent on %s", async (how) => {
  const tree = tempTree({ "home/x": "" });
  const countFile = tree.path("starts");
  const team = await keen({ mcpServers: { own: fault({ countFile }) } }, { child: () => call("mcp__own__hang") });
  const reply = team.session.ask("go");
  await team.until((event) => event.type === "tool.called" && event.name === "mcp__own__hang");
  expect(processesWith(countFile)).toEqual(starts(countFile));
  if (how === "interrupt") await team.command({ type: "interrupt" });
  else await team.close();
  await reply.catch(() => undefined);
  if (how === "interrupt") await team.session.settled();
  expect(processesWith(countFile)).toEqual([]);
});

test("an unavailable server is reported to the agent and its parent, and the agent starts without it", async () => {
  const team = await keen({ mcpServers: [{ own: { command: "no-such-program-here" } }, "other"] });
  await team.ask("go");
  const { text, outcome } = resultOf(team);
  expect(outcome).toBe("ok");
  expect(text).toMatch(/Note: keen: the MCP server own is unavailable: .*no-such-program-here/);
  expect(text).toContain("Note: keen: the MCP server other is unavailable: it is not configured");
  expect(system(team.asked(/^lead\//)[0])).toContain("Some tools are unavailable: the MCP server own is unavailable");
});

test.each([
  [{ mcpServers: { own: { command: "no-such-program-here" } }, requiredMcpServers: ["own"] }],
  [{ mcpServers: { own: { command: "no-such-program-here", required: true } } }],
])("a missing required server prevents the start: %j", async (head) => {
  const team = await keen(head);
  await team.ask("go");
  expect(resultOf(team)).toMatchObject({
    outcome: "failed",
    text: expect.stringMatching(
      /^keen: .*needs an MCP server.*own \(failed\).*\nown: .*no-such-program-here/,
    ) as string,
  });
  expect(team.asked(/^lead\//)).toEqual([]);
});

test("an agent's own server satisfies a requirement", async () => {
  const team = await keen({ mcpServers: { own: fault() }, requiredMcpServers: ["own"] });
  await team.ask("go");
  expect(resultOf(team).outcome).toBe("ok");
});

test("a name gives the tools of a session server, also when the definition lists its tools", async () => {
  const settings = { mcpServers: { db: fault(), web: fault() } };
  const team = await keen({ tools: "Read", mcpServers: ["db"] }, { settings });
  await team.ask("go");
  const tools = toolsOf(team.asked(/^lead\//)[0]);
  expect(tools).toContain("mcp__db__echo");
  expect(tools).toContain("Read");
  expect(tools.filter((name) => name.startsWith("mcp__web") || name === "Bash")).toEqual([]);
});

test("a tool list that names tools of the server limits them", async () => {
  const team = await keen({ tools: "Read, mcp__own__echo", mcpServers: { own: fault() } });
  await team.ask("go");
  expect(toolsOf(team.asked(/^lead\//)[0])).toEqual(["Read", "mcp__own__echo"]);
});

test("an agent server replaces a session server of the same name for this agent", async () => {
  const settings = { mcpServers: { db: fault({ describe: "the session's" }) } };
  const team = await keen({ mcpServers: { db: fault({ describe: "its own" }) } }, { settings });
  await team.ask("go");
  const echo = (path: string | RegExp) =>
    team
      .asked(path)[0]
      ?.request.tools.flatMap(({ name, description }) => (name === "mcp__db__echo" ? [description] : []));
  expect(echo(/^lead\//)).toEqual(["its own"]);
  expect(echo("lead")).toEqual(["the session's"]);
});

test("its calls are judged like those of other servers: they ask without a rule or after a change", async () => {
  const echo = call("mcp__own__echo", { text: "x" });
  const child: Parameters<typeof lead>[1] = (ask) => (ask.turn === 1 ? echo : { text: "done" });
  const flags = { permissionMode: "default" as const };
  const asked = await keen({ mcpServers: { own: fault() } }, { flags, child });
  await asked.ask("go");
  expect(asked.all("tool.settled").map(({ outcome }) => outcome)).toContain("denied");

  const settings = { permissions: { allow: ["mcp__own"] } };
  const tree = tempTree({ "home/.troupe/settings.json": settings });
  const run = async (describe: string) => {
    tree.write("home/.troupe/agents/keen.md", definition({ mcpServers: { own: fault({ describe }) } }));
    const team = await keen({}, { tree, flags, child });
    await team.ask("go");
    return team.all("tool.settled").map(({ outcome }) => outcome)[0];
  };
  expect(await run("one")).toBe("ok");
  expect(await run("one")).toBe("ok");
  expect(await run("another")).toBe("denied");
});

test("a project definition starts no server before trust; a name alone needs no trust", async () => {
  const tree = tempTree({ "home/.troupe/settings.json": { mcpServers: { db: fault() } } });
  const countFile = tree.path("starts");
  const run = async (more: Partial<TeamOptions["more"]>) => {
    const team = await teamSession({
      tree,
      more: { ...more },
      answer: lead([{ calls: [agent("work", { subagent_type: "keen" })] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    return toolsOf(team.asked(/^lead\//)[0]);
  };
  tree.write("project/.troupe/agents/keen.md", definition({ mcpServers: { own: fault({ countFile }) } }));
  expect(await run({})).not.toContain("mcp__own__echo");
  expect(starts(countFile)).toEqual([]);
  expect(await run({ trust: "all" })).toContain("mcp__own__echo");
  tree.write("project/.troupe/agents/keen.md", definition({ tools: "Read", mcpServers: ["db"] }));
  expect(await run({})).toContain("mcp__db__echo");
});

test("--strict-mcp-config leaves out the servers of definitions, except those of --agents", async () => {
  const strict = { strictMcpConfig: true };
  const left = await keen({ mcpServers: { own: fault() } }, { flags: strict });
  await left.ask("go");
  expect(toolsOf(left.asked(/^lead\//)[0])).not.toContain("mcp__own__echo");
  const agents = JSON.stringify({ keen: { description: "k", prompt: "p", mcpServers: { own: fault() } } });
  const kept = await keen({}, { flags: { ...strict, agents } });
  await kept.ask("go");
  expect(toolsOf(kept.asked(/^lead\//)[0])).toContain("mcp__own__echo");
});

test("a question of its server is asked in the agent's name", async () => {
  const team = await keen(
    { mcpServers: { own: fault() } },
    { child: (ask) => (ask.turn === 1 ? call("mcp__own__ask") : { text: ask.result?.text ?? "" }) },
  );
  await team.ask("go");
  const asker = team.envelopes.find(({ event }) => event.type === "permission.asked")?.agent;
  expect(asker).toBe(
    team.envelopes.find(({ event }) => event.type === "agent.spawned" && event.path !== "lead")?.agent,
  );
});

test("the server runs in the agent's folder and gets the agent's roots", async () => {
  const team = await keen(
    { mcpServers: { own: fault() } },
    { child: (ask) => (ask.turn === 1 ? call("mcp__own__roots") : { text: ask.result?.text ?? "" }) },
  );
  await team.ask("go");
  expect(resultOf(team).text).toContain(team.cwd);
});
