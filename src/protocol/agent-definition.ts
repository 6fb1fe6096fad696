import * as z from "zod";
import { PermissionMode } from "./permission.ts";

/** A comma-separated line or a list: existing files use both. */
const names = z.union([
  z.array(z.string().min(1)),
  z.string().transform((text) =>
    splitNames(text)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
]);

/** Names of configured servers, and servers by name, as a list of both or as one object. */
const servers = z.union([
  names,
  z.array(z.union([z.string().min(1), z.record(z.string().min(1), z.unknown())])),
  z.record(z.string().min(1), z.unknown()),
]);

export const AgentColor = z.enum(["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"]);
export type AgentColor = z.infer<typeof AgentColor>;

/** The front matter of a definition file. The body of the file is the agent's system prompt. */
export const AgentFrontmatter = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,63}$/, "must contain only letters, digits, - and _, and begin with a letter"),
  description: z.string().min(1, "must not be empty: it says when to use this agent"),
  /** Absent or `*` means all. An entry may carry a rule: `Bash(git diff:*)`. */
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
  /** With `isolation: remote`: only workers with all of these labels run it. */
  labels: names.optional(),
  color: AgentColor.optional(),
  memory: z.enum(["user", "project", "local"]).optional(),
  initialPrompt: z.string().min(1).optional(),
  /**
   * `acp`: an external program that `command` starts, over the Agent Client Protocol. `remote`: a worker, the same as
   * `isolation: remote`.
   */
  backend: z.enum(["acp", "remote"]).optional(),
  /** A program and its arguments, as a list or separated by blanks. No shell reads it. */
  command: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
});
export type AgentFrontmatter = z.infer<typeof AgentFrontmatter>;

/** An agent type, ready to be started. */
export interface AgentDefinition extends AgentFrontmatter {
  readonly prompt: string;
  readonly source: AgentSource;
}

/** The source of a definition, strongest first. */
export interface AgentSource {
  readonly level: "managed" | "flag" | "project" | "user" | "plugin" | "built-in";
  /** The file, or the flag. */
  readonly from: string;
}

/** Commas inside a rule's parentheses belong to the rule. */
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
