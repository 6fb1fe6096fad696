import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

const definition = `---
name: mine
description: Helps with mine.
model: haiku
permissionMode: acceptEdits
tools: Read, Bash(git diff:*), Raed
maxTurns: 5
---
You help.
`;

test("promise 23: 'troupe agents show' prints the effective rights under every parent mode", async () => {
  const place = workplace();
  const folder = join(place.home, ".troupe", "agents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "a.md"), definition);
  const { code, stdout } = await place.run(["agents", "show", "mine"], { env: { ANTHROPIC_API_KEY: "k" } });
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual(
    expect.arrayContaining([
      "name        mine",
      `from        ${join(folder, "a.md")} (user)`,
      "model       anthropic/claude-haiku-5-5 (haiku)",
      "max turns   5",
      "tool        Read",
      "tool        Bash: only Bash(git diff:*)",
      `ignored     tools "Raed": there is no such tool; did you mean Read?`,
      "mode        plan if the parent is in plan (acceptEdits would exceed the parent's mode)",
      "mode        default if the parent is in default (acceptEdits would exceed the parent's mode)",
      "mode        acceptEdits if the parent is in acceptEdits",
      "mode        acceptEdits if the parent is in bypassPermissions",
      "You help.",
    ]),
  );
  expect(stdout).not.toContain("tool        Write");
});
