import * as z from "zod";
import { nearestName } from "../../platform/index.ts";
import { AgentColor, AgentFrontmatter } from "../../protocol/index.ts";

/** Returns the problem with the hooks, or undefined. */
export type CheckHooks = (hooks: unknown) => string | undefined;

/**
 * The fields as people write them. An empty field counts as absent, except in fields that decide what an agent may do:
 * there it could mean nothing or everything. An unknown color does not make the agent unusable.
 */
export const agentFields = (checkHooks: CheckHooks | undefined) =>
  z.preprocess(
    withoutEmpty,
    AgentFrontmatter.superRefine(({ hooks, backend, command }, context) => {
      if (backend === "acp" && command === undefined)
        context.addIssue({ code: "custom", path: ["backend"], message: "acp needs a command that starts the program" });
      if (command !== undefined && backend !== "acp")
        context.addIssue({ code: "custom", path: ["command"], message: "is only valid with backend: acp" });
      const problem = hooks === undefined ? undefined : checkHooks?.(hooks);
      if (problem !== undefined) context.addIssue({ code: "custom", path: ["hooks"], message: problem });
    }),
  );

const decidingFields = new Set(["tools", "disallowedTools", "permissionMode"]);

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([key, each]) => {
    if (key === "color" && !AgentColor.safeParse(each).success) return false;
    return each !== null || decidingFields.has(key);
  });
  return Object.fromEntries(kept);
}

/** Returns the fields that are valid on their own. */
export function dropInvalidFields(value: unknown): Partial<AgentFrontmatter> {
  const given = new Map(Object.entries(typeof value === "object" && value !== null ? value : {}));
  return Object.fromEntries(
    Object.entries(AgentFrontmatter.shape).flatMap(([key, schema]) => {
      const checked = schema.safeParse(given.get(key));
      return checked.success && checked.data !== undefined ? [[key, checked.data]] : [];
    }),
  );
}

const known = Object.keys(AgentFrontmatter.shape);

/** The message of an issue that only marks a field: zod replaces an empty message. */
export const plain = "plain";

/**
 * Adds an issue for every field, to record its position. The message is a warning, or `plain` if there is none.
 * `further` lists more known fields.
 */
export const allFields = (further: readonly string[] = []) =>
  z.unknown().superRefine((value, context) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      const message = fieldWarning(key, each, [...known, ...further]) ?? plain;
      context.addIssue({ code: "custom", path: [key], message });
    }
  });

function fieldWarning(key: string, value: unknown, names: readonly string[]): string | undefined {
  if (!names.includes(key)) {
    const near = nearestName(key, names);
    return `is not a known field and is ignored${near === undefined ? "" : `; did you mean ${near}?`}`;
  }
  if (key === "color" && value !== null && !AgentColor.safeParse(value).success) {
    return `is not a known color; use one of ${AgentColor.options.join(", ")}`;
  }
  return undefined;
}

const lists = new Set(["tools", "disallowedTools", "requiredMcpServers", "skills"]);

/** Returns an issue as text for the author of the file. */
export function fieldMessage(field: string | undefined, message: string): string {
  const text = message.replace(/^Invalid (?:input|option): /, "");
  if (text.endsWith("received undefined")) return "is missing";
  const [name = ""] = field?.split(".") ?? [];
  if (lists.has(name) && text === "Invalid input") {
    return `expected comma-separated names, or a list${name === "tools" ? "; remove the line to allow all tools" : ""}`;
  }
  if (name === "mcpServers" && text === "Invalid input") return "expected server names, or servers by their names";
  return text;
}
