import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSession } from "../../../src/index.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";

const folders: string[] = [];
const fresh = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-hooked-")));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("hook input names the agent, and names none for the lead", async () => {
  const cwd = fresh();
  const home = fresh();
  const seen = join(home, "seen.jsonl");
  mkdirSync(join(home, ".troupe"), { mode: 0o700 });
  const hooks = {
    PreToolUse: [{ matcher: "Glob", hooks: [{ type: "command", command: `cat >> ${seen}; echo >> ${seen}` }] }],
  };
  writeFileSync(join(home, ".troupe", "settings.json"), JSON.stringify({ hooks }), { mode: 0o600 });
  const look = { tool: "Glob", input: { pattern: "*" } };
  const child = {
    tool: "Agent",
    input: { description: "look", prompt: "look", subagent_type: "Explore", name: "scout" },
  };
  const model = createScriptedModel(
    {
      version: 1,
      agents: {
        lead: { steps: [{ calls: [look, child] }, { text: "done" }] },
        "lead/scout": { steps: [{ calls: [look] }, { text: "seen" }] },
      },
    },
    { clock: systemClock },
  );
  const env = { PATH: process.env["PATH"], HOME: home, TROUPE_HOME: join(home, ".troupe") };
  const session = await createSession({ cwd, env, memory: true, model });
  expect(await session.ask("go")).toMatchObject({ text: "done" });
  await session.close();
  const told = readFileSync(seen, "utf8")
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const who = told.map(({ agent_id, agent_type, agent_name }) => ({ agent_id, agent_type, agent_name }));
  expect(who).toHaveLength(2);
  expect(who).toContainEqual({ agent_id: undefined, agent_type: undefined, agent_name: undefined });
  expect(who).toContainEqual({ agent_id: expect.stringMatching(/^agt_/), agent_type: "Explore", agent_name: "scout" });
});
