import { describe, expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import { agent, lead, resultOf, teamSession, type TeamOptions, textOf } from "../../support/team/team-session.ts";

/** Starts one agent this way after some turns. Returns the lead's request that started it and the subagent's first. */
async function routed(more: object, options: Partial<TeamOptions> = {}) {
  const team = await teamSession({
    files: {
      "home/.troupe/agents/scribe.md":
        "---\nname: scribe\ndescription: writes\ntools: Read, Write\npermissionMode: plan\n---\nYou are the scribe.",
    },
    answer: lead([{ text: "I heard the secret word." }, { calls: [agent("work", more)] }, { text: "over" }], () => ({
      text: "done by child",
    })),
    ...options,
  });
  await team.ask("the secret word is xyzzy");
  await team.ask("now start one");
  const parent = team.asked("lead")[1] as Ask;
  const child = team.asked(/^lead\//)[0] as Ask;
  const spawned = team.all("agent.spawned")[1];
  return { team, parent, child, spawned, result: resultOf(team, 1, 2) };
}

const toolsOf = ({ request }: Ask) => request.tools.map(({ name }) => name);

describe("2.2 named: subagent_type is given", () => {
  test("system prompt, tools and mode come from the definition, and the context is only the prompt", async () => {
    const { child, parent, spawned } = await routed({ subagent_type: "scribe" });
    expect(child.system).toContain("You are the scribe.");
    expect(child.system).not.toBe(parent.system);
    expect(toolsOf(child).toSorted()).toEqual(["Read", "Write"]);
    expect(child.request.messages).toHaveLength(1);
    expect(textOf(child.request.messages)).not.toContain("xyzzy");
    expect(spawned).toMatchObject({ agentType: "scribe", permissionMode: "plan" });
  });

  test("the model can be chosen; the default is the parent's model", async () => {
    const { spawned, team } = await routed({ subagent_type: "scribe" });
    expect(spawned?.model).toBe(team.model.ref);
  });

  test("enabled forks change nothing for it", async () => {
    const { child } = await routed({ subagent_type: "scribe" }, { flags: { permissionMode: "default", forks: true } });
    expect(child.system).toContain("You are the scribe.");
    expect(child.request.messages).toHaveLength(1);
  });
});

describe("2.2 fork: type omitted, forks on", () => {
  const forks = { flags: { permissionMode: "default" as const, forks: true } };

  test("system prompt, tools, model and conversation are the parent's, byte for byte", async () => {
    const { child, parent, spawned, team } = await routed({ subagent_type: undefined }, forks);
    expect(child.request.system).toEqual(parent.request.system);
    expect(child.request.tools).toEqual(parent.request.tools);
    expect(child.request.messages.slice(0, parent.request.messages.length)).toEqual(parent.request.messages);
    expect(textOf(child.request.messages)).toContain("xyzzy");
    expect(spawned).toMatchObject({ agentType: "fork", model: team.model.ref, permissionMode: "bubble" });
  });

  test("its model cannot be chosen", async () => {
    const { spawned, team } = await routed({ subagent_type: undefined, model: "haiku" }, forks);
    expect(spawned?.model).toBe(team.model.ref);
  });
});

describe("2.2 general-purpose: type omitted, forks off", () => {
  test("separate system prompt and tools, only the prompt as context, without an error", async () => {
    const { child, parent, spawned, result } = await routed({ subagent_type: undefined });
    expect(spawned?.agentType).toBe("general-purpose");
    expect(child.system).not.toBe(parent.system);
    expect(child.request.messages).toHaveLength(1);
    expect(textOf(child.request.messages)).not.toContain("xyzzy");
    expect(toolsOf(child)).toEqual(expect.arrayContaining(["Read", "Write", "Bash"]));
    expect(result.text).not.toMatch(/fork/i);
  });

  test("the permission mode setting applies if the definition has none, and never exceeds the parent's", async () => {
    const settings = { subagents: { permissionMode: "acceptEdits" } };
    const strict = await routed({ subagent_type: undefined }, { settings, flags: { permissionMode: "default" } });
    expect(strict.spawned?.permissionMode).toBe("default");
    const loose = await routed({ subagent_type: undefined }, { settings });
    expect(loose.spawned?.permissionMode).toBe("acceptEdits");
  });
});

test("a type is found whatever its case and its separators", async () => {
  const { spawned } = await routed({ subagent_type: "General_Purpose" });
  expect(spawned?.agentType).toBe("general-purpose");
});

test("a background agent gets only background-safe tools", async () => {
  const { child } = await routed({ run_in_background: true });
  expect(toolsOf(child)).toContain("Bash");
  expect(toolsOf(child)).not.toContain("Agent");
  expect(toolsOf(child)).not.toContain("SendMessage");
});
