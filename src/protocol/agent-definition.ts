import * as z from "zod";
import { PermissionMode } from "./permission.ts";

/** A comma-separated line or a list: both are written in the wild. */
const names = z.union([
  z.array(z.string().min(1)),
  z.string().transform((text) =>
    splitNames(text)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
]);

/** Names of configured servers and servers by their names, as a list of both or as one object. */
const servers = z.union([
  names,
  z.array(z.union([z.string().min(1), z.record(z.string().min(1), z.unknown())])),
  z.record(z.string().min(1), z.unknown()),
]);

export const AgentColor = z.enum(["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"]);
export type AgentColor = z.infer<typeof AgentColor>;

/** What the head of a definition file may say. The body of the file is the agent's system prompt. */
export const AgentFrontmatter = z.object({
  name: z.string().regex(/^[A-Za-z][\w-]{0,63}$/, "must be letters, digits, - and _, and begin with a letter"),
  description: z.string().min(1, "says when to use this agent, and must not be empty"),
  /** Absent or `*` is all; an entry may carry a rule: `Bash(git diff:*)`. */
  tools: names.optional(),
  disallowedTools: names.optional(),
  /** A model, a family, or `inherit`. */
  model: z.string().min(1).optional(),
  permissionMode: PermissionMode.exclude(["bubble"]).optional(),
  mcpServers: servers.optional(),
  requiredMcpServers: names.optional(),
  hooks: z.unknown().optional(),
  skills: names.optional(),
  maxTurns: z.number().int().positive().optional(),
  background: z.boolean().optional(),
  isolation: z.enum(["worktree", "remote"]).optional(),
  /** With `isolation: remote`: only workers that have all of these run it. */
  labels: names.optional(),
  color: AgentColor.optional(),
  memory: z.enum(["user", "project", "local"]).optional(),
  initialPrompt: z.string().min(1).optional(),
  /**
   * `acp`: another program runs it, which `command` starts and which speaks the Agent Client Protocol. `remote`: a worker on
   * another machine, the same as `isolation: remote`.
   */
  backend: z.enum(["acp", "remote"]).optional(),
  /** A program and its arguments, as a list or with blanks between them; no shell reads it. */
  command: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
});
export type AgentFrontmatter = z.infer<typeof AgentFrontmatter>;

/** A type of agent, ready to be started. */
export interface AgentDefinition extends AgentFrontmatter {
  readonly prompt: string;
  readonly source: AgentSource;
}

/** Where a definition comes from, strongest first. */
export interface AgentSource {
  readonly level: "managed" | "flag" | "project" | "user" | "plugin" | "built-in";
  /** The file, or the flag. */
  readonly from: string;
}

/** Commas inside a rule's brackets are the rule's own. */
function splitNames(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth <= 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
}
