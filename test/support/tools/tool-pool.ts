import * as z from "zod";
import { builtinTools, defineTool, textResult, type Tool } from "../../../src/tool/index.ts";

/** A tool with the given name that does nothing. */
export const plainTool = (name: string): Tool =>
  defineTool<{ type?: string | undefined }>({
    name,
    description: `${name}.`,
    input: z.object({ type: z.string().optional() }),
    access: "read",
    subject: ({ type }) => (type === undefined ? { kind: "none" } : { kind: "name", name: type }),
    title: () => name,
    execute: async () => textResult("done"),
  });

const further = [
  "Agent",
  "AskUserQuestion",
  "EnterPlanMode",
  "SendMessage",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TeamCreate",
  "TeamDelete",
  "mcp__db__query",
  "mcp__db__write",
  "mcp__web__get",
];

/** Every tool of the program, and some of MCP servers. */
export const pool: readonly Tool[] = [
  ...builtinTools(),
  ...further.filter((name) => !builtinTools().some((tool) => tool.name === name)).map(plainTool),
];
