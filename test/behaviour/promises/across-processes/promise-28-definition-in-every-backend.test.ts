import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../../../src/protocol/index.ts";
import { isIn, teamWorkplace } from "../../../support/cli/team-workplace.ts";
import { fault } from "../../../support/mcp/mcp-servers.ts";
import { textOf } from "../../../support/team/team-session.ts";
import { report, written } from "../../../support/team/scripted-team.ts";

const definition = `---
name: expert
description: knows it all
tools: Read, Bash(echo:*), Skill, Agent, mcp__own__echo, mcp__given__echo
mcpServers: ${JSON.stringify({ own: fault() })}
model: scripted/other.mjs
permissionMode: acceptEdits
skills: [greet]
maxTurns: 7
color: cyan
initialPrompt: Begin with a look around.
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: cat > hooked.json
---
You are the expert on everything.
`;

const script = `
import { writeFileSync } from "node:fs";
export default (ask) => {
  if (ask.agent === "lead")
    return ask.turn === 1
      ? { calls: [{ tool: "Agent", input: { description: "d", prompt: "do it", name: "scout", subagent_type: "expert" } }] }
      : { text: "waiting" };
  if (ask.turn > 1) return { text: "came to: " + ask.results.map(({ isError }) => isError).join() };
  const { system, tools, messages, model, caller, ...more } = ask.request;
  writeFileSync("request.json", JSON.stringify({ system, tools, messages, model, caller, keys: Object.keys(more) }));
  return { calls: [{ tool: "Bash", input: { command: "echo hello" } }, { tool: "Bash", input: { command: "touch no" } }] };
};`;

/** The first request of a member and the input of its hook, without the parts that differ by backend. */
async function firstRequest(backend: "in-process" | "tmux") {
  const place = teamWorkplace(script, { teams: { backend } });
  place.write("other.mjs", script);
  place.write(".troupe/agents/expert.md", definition);
  place.write(".troupe/skills/greet/SKILL.md", "---\nname: greet\ndescription: greets\n---\nSay hello to everybody.");
  place.write("AGENTS.md", "Mind the gap.");
  const lead = place.lead({
    more: [
      "--trust",
      "--append-system-prompt",
      "Be brief.",
      "--mcp-config",
      JSON.stringify({ mcpServers: { given: fault() } }),
      "--disallowedTools",
      "WebFetch",
    ],
  });
  lead.send({ type: "prompt", content: "go" });
  await lead.until(report(/came to: /));
  await lead.until(isIn("scout", "idle"));
  const plain = (text: string) =>
    text
      .replaceAll(place.cwd, "(project)")
      .replaceAll(place.home, "(home)")
      .replaceAll(/projects\/[^/"]+/g, "projects/(name)")
      .replaceAll(/\b(?:ses|agt|prm|mail|call|ask)_[0-9a-z]{10,}/g, "(id)");
  const request = JSON.parse(plain(await written(place.cwd, "request.json"))) as Pick<
    ModelRequest,
    "system" | "tools" | "messages"
  >;
  const hooked = JSON.parse(plain(readFileSync(join(place.cwd, "hooked.json"), "utf8"))) as object;
  const [{ model, mode, color } = {}] = await place.members();
  const { event } = await lead.until(report(/came to: /));
  lead.end();
  await lead.done;
  await place.nobodyLeft();
  return { request, hooked, member: { model, mode, color }, came: plain(JSON.stringify(event)) };
}

test("promise 28: definition means the same in every backend: prompt, model, tools, skills, MCP, hooks", async () => {
  const [here, there] = await Promise.all([firstRequest("in-process"), firstRequest("tmux")]);
  expect(there.request).toEqual(here.request);
  expect(there.hooked).toEqual(here.hooked);
  expect(there.member).toEqual(here.member);
  expect(there.came.match(/came to: [\w,]+/)?.[0]).toEqual(here.came.match(/came to: [\w,]+/)?.[0]);
  expect(here.came).toContain("came to: false,true");
  // The evidence in the report is the same too.
  for (const { came } of [here, there])
    expect(came).toMatch(/What was really done, by the log:.*2 tool calls.*echo hello/);
  expect(here.member).toEqual({ model: "scripted/other.mjs", mode: "acceptEdits", color: "cyan" });
  const system = here.request.system.join("\n");
  for (const part of [
    "You are the expert on everything.",
    "Say hello to everybody.",
    "Mind the gap.",
    "a teammate in the team alpha",
  ])
    expect(system).toContain(part);
  expect(here.request.tools.map(({ name }) => name).toSorted()).toEqual([
    "Agent",
    "Bash",
    "Read",
    "SendMessage",
    "Skill",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "mcp__given__echo",
    "mcp__own__echo",
  ]);
  expect(textOf(here.request.messages)).toMatch(/Begin with a look around\.[\s\S]*do it/);
  expect(here.hooked).toMatchObject({ agent_name: "scout", agent_type: "expert", team_name: "alpha" });
});
