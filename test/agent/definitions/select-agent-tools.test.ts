import { describe, expect, test } from "vitest";
import { type AgentKind, builtInAgents, selectAgentTools } from "../../../src/agent/definitions/index.ts";
import type { AgentDefinition, PermissionMode } from "../../../src/protocol/index.ts";
import { pool } from "../../support/tools/tool-pool.ts";

interface Case {
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly kind?: AgentKind;
  readonly mode?: PermissionMode;
  readonly userDefined?: boolean;
  readonly permissionMode?: "plan";
}

function select({ tools, disallowedTools, permissionMode, ...request }: Case = {}) {
  const { kind = "foreground", mode = "default", userDefined = true } = request;
  const definition = {
    ...(permissionMode && { permissionMode }),
    ...(tools && { tools: [...tools] }),
    ...(disallowedTools && { disallowedTools: [...disallowedTools] }),
  } satisfies Partial<AgentDefinition>;
  const selected = selectAgentTools({ definition, pool, kind, mode, userDefined });
  return { ...selected, names: selected.tools.map(({ name }) => name).sort() };
}

const all = pool.map(({ name }) => name).sort();
const servers = ["mcp__db__query", "mcp__db__write", "mcp__web__get"];
const working = [
  "Bash",
  "Edit",
  "Glob",
  "Grep",
  "NotebookEdit",
  "Read",
  "Skill",
  "TaskOutput",
  "TaskStop",
  "WebFetch",
  "Write",
];
const team = ["SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];

describe("filters for every definition", () => {
  test("foreground agent has all tools except those of the lead and the team", () => {
    expect(select().names).toEqual(["Agent", ...working, ...servers].sort());
  });

  test.each(["foreground", "background", "teammate"] as const)("tools of servers are always included: %s", (kind) => {
    expect(select({ kind }).names).toEqual(expect.arrayContaining(servers));
  });

  test("ExitPlanMode is only for teammates in plan mode whose type does more than read", () => {
    expect(select({ kind: "teammate", mode: "plan" }).names).toContain("ExitPlanMode");
    expect(select({ kind: "teammate", mode: "acceptEdits" }).names).not.toContain("ExitPlanMode");
    expect(select({ kind: "foreground", mode: "plan" }).names).not.toContain("ExitPlanMode");
    expect(select({ kind: "background", mode: "plan" }).names).not.toContain("ExitPlanMode");
    const readOnly = select({ kind: "teammate", mode: "plan", permissionMode: "plan" });
    expect(readOnly.names).not.toContain("ExitPlanMode");
  });

  test.each(["foreground", "background", "teammate"] as const)(
    "only the lead has the tools that ask the user: %s",
    (kind) => {
      for (const userDefined of [true, false]) {
        const { names } = select({ kind, userDefined, tools: ["AskUserQuestion", "EnterPlanMode"] });
        // A member of a team can always send messages and share tasks.
        expect(names).toEqual(kind === "teammate" ? team : []);
      }
    },
  );

  test.each(["foreground", "background"] as const)("no team tools outside a team: %s", (kind) => {
    const { names } = select({ kind, userDefined: false });
    expect(names.filter((name) => [...team, "TeamCreate", "TeamDelete"].includes(name))).toEqual([]);
  });

  test("a user-defined agent cannot create or delete teams", () => {
    expect(select({ kind: "teammate", userDefined: true }).names).not.toContain("TeamCreate");
    expect(select({ kind: "teammate", userDefined: false }).names).toEqual(
      expect.arrayContaining(["TeamCreate", "TeamDelete"]),
    );
  });

  test("background agent has the background-safe tools and no Agent", () => {
    expect(select({ kind: "background" }).names).toEqual([...working, ...servers].sort());
  });

  test("teammate keeps Agent and has the team tools", () => {
    expect(select({ kind: "teammate" }).names).toEqual(["Agent", ...working, ...team, ...servers].sort());
  });
});

describe("lists of the definition", () => {
  test.each([
    ["absent", undefined],
    ["a star", ["*"]],
    ["a star among others", ["Read", "*"]],
  ])("%s means all tools", (_what, tools) => {
    expect(select({ ...(tools && { tools }) }).names).toEqual(select().names);
  });

  test.each([
    ["names", { tools: ["Read", "Grep"] }, ["Grep", "Read"]],
    ["an empty list", { tools: [] }, []],
    ["a server", { tools: ["mcp__db"] }, ["mcp__db__query", "mcp__db__write"]],
    ["a server with a star", { tools: ["mcp__db__*"] }, ["mcp__db__query", "mcp__db__write"]],
    ["one tool of a server", { tools: ["mcp__db__query"] }, ["mcp__db__query"]],
    [
      "Claude Code's older names",
      { tools: ["Task", "MultiEdit", "BashOutput", "KillShell"] },
      ["Agent", "Edit", "TaskOutput", "TaskStop"],
    ],
    ["taken off first", { tools: ["Read", "Write", "Grep"], disallowedTools: ["Write"] }, ["Grep", "Read"]],
    ["taken off and named", { tools: ["Write"], disallowedTools: ["Write"] }, []],
    [
      "a server taken off",
      { tools: ["Read", "mcp__db"], disallowedTools: ["mcp__db__write"] },
      ["Read", "mcp__db__query"],
    ],
    ["all taken off", { disallowedTools: ["*"] }, []],
  ])("%s", (_what, lists, names) => {
    const selected = select(lists);
    expect(selected.names).toEqual(names);
    expect(selected.reports).toEqual([]);
  });

  test.each([
    ["an unknown name", { tools: ["Read", "Raed"] }, "tools", "Raed", "there is no such tool; did you mean Read?"],
    ["one that is unlike any", { tools: ["FlyToTheMoon"] }, "tools", "FlyToTheMoon", "there is no such tool"],
    ["a tool of another program", { tools: ["TodoWrite"] }, "tools", "TodoWrite", "there is no such tool"],
    [
      "a server that does not exist",
      { tools: ["mcp__gone"] },
      "tools",
      "mcp__gone",
      "there is no such tool now: is its server connected?",
    ],
    [
      "a tool that is not for it",
      { tools: ["SendMessage"] },
      "tools",
      "SendMessage",
      "is not available to this kind of agent",
    ],
    [
      "a mistake in what is excluded",
      { disallowedTools: ["Wirte"] },
      "disallowedTools",
      "Wirte",
      "there is no such tool; did you mean Write?",
    ],
    [
      "brackets that are not closed",
      { tools: ["Bash(git"] },
      "tools",
      "Bash(git",
      "is neither a tool name nor a rule such as Bash(git diff:*)",
    ],
    [
      "a rule for a server's tool",
      { tools: ["mcp__db__query(x)"] },
      "tools",
      "mcp__db__query(x)",
      "cannot have brackets: write MCP rules as mcp__server or mcp__server__tool.",
    ],
    [
      "empty brackets",
      { tools: ["Bash()"] },
      "tools",
      "Bash()",
      "is not a permission rule: write a tool's name, such as Bash, or Bash(git status).",
    ],
  ] as const)("%s is reported and gives nothing", (_what, lists, field, entry, message) => {
    const { reports, names } = select(lists);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ field, entry });
    expect(reports[0]?.message.startsWith(message)).toBe(true);
    if (field === "tools") expect(names).toEqual(lists === undefined ? [] : names.filter((name) => name === "Read"));
  });
});

test.each(builtInAgents.map((agent) => [agent.name, agent] as const))(
  "every entry of the built-in agent %s adds or removes a tool",
  (_name, definition) => {
    const kind = definition.background ? "background" : "foreground";
    const mode = definition.permissionMode ?? "default";
    expect(selectAgentTools({ definition, pool, kind, mode, userDefined: false }).reports).toEqual([]);
  },
);

test.each(["Explore", "Plan", "researcher", "reviewer", "guide"])("%s has no tool that changes files", (name) => {
  const definition = builtInAgents.find((agent) => agent.name === name);
  expect(definition).toBeDefined();
  if (!definition) return;
  const { tools } = selectAgentTools({ definition, pool, kind: "foreground", mode: "plan", userDefined: false });
  expect(tools.filter(({ access }) => access === "write")).toEqual([]);
  expect(all.length).toBeGreaterThan(tools.length);
});
