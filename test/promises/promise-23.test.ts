import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../team/team-session.ts";

test("promise 23: a child's rights are its parent's, cut by its own definition, never more", async () => {
  const files = {
    "home/.troupe/agents/loose.md":
      "---\nname: loose\ndescription: l\npermissionMode: bypassPermissions\ntools: Bash(echo:*), Write\n---\nYou are loose.",
  };
  const calls = [
    { tool: "Bash", input: { command: "touch by-bash" } },
    { tool: "Bash", input: { command: "echo fine" } },
    { tool: "Write", input: { file_path: "by-write", content: "x" } },
  ];
  for (const permissionMode of ["default", "bypassPermissions"] as const) {
    const team = await teamSession({
      files,
      flags: { permissionMode, disallowedTools: ["Write"] },
      answer: lead(
        [{ calls: [agent("work", { subagent_type: "loose", mode: "bypassPermissions" })] }, { text: "over" }],
        (ask) => (ask.turn === 1 ? { calls } : { text: "done" }),
      ),
    });
    await team.ask("go");
    expect(team.all("agent.spawned")[1]?.permissionMode).toBe(permissionMode);
    expect(existsSync(`${team.cwd}/by-bash`), "not in its definition").toBe(false);
    expect(existsSync(`${team.cwd}/by-write`), "denied by a rule of the session").toBe(false);
    expect(resultOf(team).outcome).toBe("ok");
  }
});
