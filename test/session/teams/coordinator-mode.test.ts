import { describe, expect, test } from "vitest";
import { coordinatorConduct } from "../../../src/agent/fragments/system/coordinator-conduct.ts";
import { backgroundSafeTools, teamTools } from "../../../src/agent/definitions/agent-tool-lists.ts";
import { builtinTools } from "../../../src/tool/index.ts";
import { createSession } from "../../../src/session/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { lead, resultOf, type TeamSession, teamSession } from "../../support/team/team-session.ts";
import { fault } from "../../support/mcp/mcp-servers.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const handOut = (more: object = {}) => ({
  tool: "Agent",
  input: { description: "do a part", prompt: "do the part", ...more },
});
const toolsOf = (ask: Ask | undefined) => (ask?.request.tools ?? []).map(({ name }) => name).toSorted();
const own = ["Agent", "Land", "SendMessage", "TaskOutput", "TaskStop"];
const coordinator = { coordinator: true };

/** A coordinator that starts agents with these inputs in its first answer. */
const withWorkers = (calls: readonly object[], options: Partial<Parameters<typeof teamSession>[0]> = {}) =>
  teamSession({
    answer: lead([{ text: "Started.", calls: calls.map((each) => handOut(each)) }], () => ({
      text: "the part is done",
    })),
    ...options,
    flags: { ...coordinator, ...options.flags },
  });

async function quiet(team: TeamSession): Promise<TeamSession> {
  await team.ask("go");
  await team.quiet();
  return team;
}

describe("tools", () => {
  test("the lead has only four tools and knows the background-safe tools of its workers", async () => {
    const team = await quiet(await withWorkers([{}]));
    const [first] = team.asked("lead");
    expect(toolsOf(first)).toEqual(own);
    expect(first?.request.system[0]).toBe(coordinatorConduct({ hasInstructions: false }));
    const worker = team.asked(/^lead\/worker-/)[0];
    const there = new Set(builtinTools().map(({ name }) => name));
    const safe = [...backgroundSafeTools]
      .filter((name) => name !== "Skill" && there.has(name) && !teamTools.has(name))
      .toSorted();
    expect(toolsOf(worker)).toEqual(safe);
    expect(first?.system).toContain(`Their tools: ${safe.join(", ")}.`);
  });

  test("servers are for workers: the lead has none of their tools and knows which servers exist", async () => {
    const mcpConfig = [JSON.stringify({ mcpServers: { odd: fault() } })];
    const team = await quiet(await withWorkers([{}], { flags: { mcpConfig } }));
    const [first] = team.asked("lead");
    expect(toolsOf(first)).toEqual(own);
    expect(first?.request.system.at(-1)).toMatch(/^MCP servers that your workers can use;[^\n]*\n- odd: .*\becho\b/);
    expect(first?.system).not.toContain("say the following about their own tools");
    expect(toolsOf(team.asked(/worker/)[0])).toContain("mcp__odd__echo");
  });

  test("TROUPE_SIMPLE: workers have only Bash, Edit and Read, and no tools of servers", async () => {
    const mcpConfig = [JSON.stringify({ mcpServers: { odd: fault() } })];
    const team = await quiet(await withWorkers([{}], { flags: { mcpConfig }, env: { TROUPE_SIMPLE: "1" } }));
    expect(toolsOf(team.asked(/worker/)[0])).toEqual(["Bash", "Edit", "Read"]);
    expect(team.asked("lead")[0]?.system).toContain("Their tools: Bash, Edit, Read.");
    expect(team.asked("lead")[0]?.system).not.toContain("MCP servers");
  });

  test("with teams enabled it also has the tools for teams and tasks", async () => {
    const team = await withWorkers([], { stored: true, settings: { teams: { enabled: true } } });
    await team.ask("go");
    expect(toolsOf(team.asked("lead")[0])).toEqual([...new Set([...own, ...teamTools])].toSorted());
  });

  test("its teammates are not coordinators, whatever the environment says; one can have type worker", async () => {
    const team = await teamSession({
      stored: true,
      flags: { team: "alpha", permissionMode: "bypassPermissions" },
      env: { TROUPE_COORDINATOR_MODE: "1" },
      answer: (ask) => {
        if (ask.agent === "scout@alpha") return { text: "the parser is in src/parse.ts" };
        if (ask.turn === 1) return { calls: [handOut({ name: "scout", subagent_type: "worker" })] };
        return { text: ask.said.includes("src/parse.ts") ? "heard" : "waiting" };
      },
    });
    await team.ask("go");
    await team.until((event) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("heard"));
    expect(toolsOf(team.asked("lead")[0])).toEqual([...new Set([...own, ...teamTools])].toSorted());
    expect(toolsOf(team.asked("scout@alpha")[0])).toEqual(expect.arrayContaining(["Bash", "Edit", "Read", "TaskList"]));
    expect(team.asked("scout@alpha")[0]?.request.system[0]).toMatch(/^You are scout, a teammate in the team alpha/);
  });

  test("in plan mode it has no other tool, and gives the plan as its answer", async () => {
    const team = await withWorkers([], { flags: { permissionMode: "plan" } });
    await team.ask("go");
    expect(toolsOf(team.asked("lead")[0])).toEqual(own);
    expect(team.asked("lead")[0]?.said).toMatch(/<plan-mode>[^]*give the plan as your answer/);
    expect(team.asked("lead")[0]?.said).not.toContain("ExitPlanMode");
    await team.ask("and?");
    expect(team.asked("lead").at(-1)?.said).toBe("and?");
  });

  test("without the mode nothing changes", async () => {
    const ordinary = await withWorkers([], { flags: { coordinator: false } });
    await ordinary.ask("go");
    expect(toolsOf(ordinary.asked("lead")[0])).toEqual(expect.arrayContaining(["Bash", "Read", "Edit", ...own]));
    expect(ordinary.asked("lead")[0]?.system).not.toContain("coordinator");
    expect(ordinary.session.view().isCoordinator).toBe(false);
  });
});

describe("workers", () => {
  test("an agent without a type is a worker, and never in the foreground", async () => {
    const team = await quiet(await withWorkers([{}, { run_in_background: false, name: "second" }]));
    expect(team.all("agent.spawned").map(({ agentType }) => agentType)).toEqual(["lead", "worker", "worker"]);
    expect(team.all("background.started", "lead").map(({ kind }) => kind)).toEqual(["agent", "agent"]);
    for (const index of [1, 2]) expect(resultOf(team, index).text).toMatch(/^The agent works in the background/);
    expect(team.all("tool.called", "lead")[0]?.title).toBe("Agent worker: do a part");
  });

  test("forks are disabled without an error", async () => {
    const team = await quiet(await withWorkers([{}], { flags: { forks: true } }));
    expect(team.all("agent.spawned")[1]?.agentType).toBe("worker");
    expect(team.all("context.inherited")).toEqual([]);
    const description = team.asked("lead")[0]?.request.tools.find(({ name }) => name === "Agent")?.description ?? "";
    expect(description).not.toContain("fork");
    expect(description).toContain("Without subagent_type it is a worker");
  });

  test("other types also run in the background; an unknown one is answered with the known ones", async () => {
    const team = await quiet(await withWorkers([{ subagent_type: "Explore" }, { subagent_type: "wroker" }]));
    expect(team.all("agent.spawned")[1]?.agentType).toBe("Explore");
    expect(team.all("background.started", "lead")).toHaveLength(1);
    expect(resultOf(team, 2)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("Did you mean worker?"),
    });
  });

  test("an ordinary session has no built-in worker type", async () => {
    const team = await withWorkers([{ subagent_type: "worker" }], { flags: { coordinator: false } });
    await team.ask("go");
    expect(resultOf(team)).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining('Unknown agent type "worker"'),
    });
  });

  const mine = { worker: { description: "my own", prompt: "You are my own worker.", tools: ["Read"] } };

  test("a user definition of that name wins, and the coordinator knows its tools", async () => {
    const team = await quiet(await withWorkers([{}], { flags: { agents: JSON.stringify(mine) } }));
    const worker = team.asked(/worker/)[0];
    expect(worker?.request.system[0]).toMatch(/^You are a subagent of Troupe.*\n\nYou are my own worker\.\n/);
    expect(toolsOf(worker)).toEqual(["Read"]);
    expect(team.asked("lead")[0]?.system).toContain("Their tools: Read.");
  });

  test("a user definition named worker is an ordinary type in an ordinary session", async () => {
    const flags = { coordinator: false, agents: JSON.stringify(mine) };
    const team = await quiet(await withWorkers([{ subagent_type: "worker" }], { flags }));
    expect(resultOf(team).outcome).toBe("ok");
  });

  test("a rule against worker also applies when the type is omitted", async () => {
    const team = await withWorkers([{}], { flags: { disallowedTools: ["Agent(worker)"] } });
    await team.ask("go");
    expect(resultOf(team).outcome).toBe("denied");
    expect(team.all("agent.spawned")).toHaveLength(1);
  });

  test("a worker cannot start agents", async () => {
    const team = await quiet(await withWorkers([{}]));
    expect(toolsOf(team.asked(/worker/)[0])).not.toContain("Agent");
  });
});

describe("mode of the session", () => {
  const again = (team: TeamSession, options: Partial<Parameters<typeof teamSession>[0]>) =>
    withWorkers([], { tree: team.tree, stored: true, resume: team.session.id, ...options });
  const toolsNow = async (team: TeamSession) => {
    await team.ask("and now?");
    return toolsOf(team.asked("lead")[0]);
  };

  test("the mode is in the log, and a resumed session keeps it", async () => {
    const first = await withWorkers([], { stored: true });
    await first.ask("go");
    expect(first.all("session.opened")).toMatchObject([{ coordinator: true, resumed: false }]);
    await first.close();
    const second = await again(first, { flags: { coordinator: undefined } });
    expect(second.session.view().isCoordinator).toBe(true);
    expect(await toolsNow(second)).toEqual(own);
    expect(second.all("session.opened").at(-1)).toMatchObject({ coordinator: true, resumed: true });
    // The prompt is the same byte for byte, so the provider's cache stays valid.
    expect(second.all("context.composed")).toHaveLength(1);
    await second.close();
    const third = await again(first, { flags: { coordinator: undefined } });
    expect(await toolsNow(third)).toEqual(own);
  });

  test("the flag turns it off and on", async () => {
    const first = await withWorkers([], { stored: true });
    await first.ask("go");
    await first.close();
    const second = await again(first, { flags: { coordinator: false } });
    expect(await toolsNow(second)).toContain("Bash");
    expect(second.asked("lead")[0]?.request.system[0]).not.toBe(coordinatorConduct({ hasInstructions: false }));
    await second.close();
    const third = await again(first, { flags: { coordinator: undefined } });
    expect(await toolsNow(third)).toContain("Bash");
    await third.close();
    const fourth = await again(first, {});
    expect(await toolsNow(fourth)).toEqual(own);
    expect(fourth.asked("lead")[0]?.request.system[0]).toBe(coordinatorConduct({ hasInstructions: false }));
  });

  test("the environment decides for a new session, not for an existing one", async () => {
    const unsaid = { flags: { coordinator: undefined } };
    const first = await withWorkers([], { stored: true, ...unsaid });
    expect(await toolsNow(first)).toContain("Bash");
    await first.close();
    const env = { TROUPE_COORDINATOR_MODE: "1" };
    const second = await again(first, { ...unsaid, env });
    expect(await toolsNow(second)).toContain("Bash");
    await second.close();
    expect(await toolsNow(await withWorkers([], { ...unsaid, env }))).toEqual(own);
    expect(await toolsNow(await withWorkers([], { ...unsaid, env: { TROUPE_COORDINATOR_MODE: "0" } }))).toContain(
      "Bash",
    );
  });

  test("is an option from code", async () => {
    const tree = tempTree({ "home/x": "", "project/x": "" });
    const model = createScriptedModel({ version: 1, steps: [{ text: "Hello." }] }, { clock: systemClock });
    const session = await createSession({
      cwd: tree.path("project"),
      env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
      model,
      memory: true,
      coordinator: true,
    });
    try {
      expect((await session.ask("hello")).text).toBe("Hello.");
      expect(toolsOf(model.calls[0]?.ask)).toEqual(own);
    } finally {
      await session.close();
    }
  });
});
