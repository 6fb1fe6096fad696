import { expect, test } from "vitest";
import { selectAgentTools } from "../../../src/agent/definitions/index.ts";
import { createPolicy } from "../../../src/session/permissions/permission-policy.ts";
import { builtinTools, parseRules, type Tool } from "../../../src/tool/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

test.each([
  ["default", "default"],
  ["everything is allowed by a rule", "acceptEdits"],
  ["nothing is asked at all", "bypassPermissions"],
] as const)("calls outside a definition are denied without a question: %s", async (_what, permissionMode) => {
  const tree = tempTree({ "src/a.ts": "a", "b.ts": "b" });
  const policy = createPolicy({
    cwd: tree.root,
    roots: [tree.root],
    permissionMode,
    rules: parseRules({ allow: permissionMode === "acceptEdits" ? ["Bash", "Read"] : [] }),
    childEnv: { HOME: tree.root },
    localSettings: tree.path("settings.local.json"),
    currentCwd: () => tree.root,
    ownFolders: () => [],
    sandbox: () => undefined,
  });
  const { tools } = selectAgentTools({
    definition: { tools: ["Read(./src/**)", "Bash(git diff:*)"] },
    pool: builtinTools(),
    kind: "foreground",
    mode: permissionMode,
    userDefined: true,
  });
  const decide = async (name: string, input: unknown) => {
    const tool = tools.find((each) => each.name === name) as Tool;
    const decision = await policy.decide(tool, input);
    return decision.behavior === "deny" ? decision.rule : decision.behavior;
  };
  expect(await decide("Read", { file_path: "src/a.ts" })).toBe("allow");
  expect(await decide("Read", { file_path: "b.ts" })).toBe("agent definition");
  expect(await decide("Bash", { command: "git diff --stat" })).toBe("allow");
  expect(await decide("Bash", { command: "git push" })).toBe("agent definition");
  expect(await decide("Bash", { command: "ls" })).toBe("agent definition");
});
