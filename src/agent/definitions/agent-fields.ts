import * as z from "zod";
import { nearestName } from "../../platform/index.ts";
import { AgentColor, AgentFrontmatter } from "../../protocol/index.ts";

/** Says what is wrong with hooks, or nothing. */
export type CheckHooks = (hooks: unknown) => string | undefined;

/**
 * The fields as people write them: one without a value counts as absent, but for those that say what an agent may do, where
 * nobody can tell whether nothing or everything is meant. A colour that there is not stops no agent.
 */
export const agentFields = (checkHooks: CheckHooks | undefined) =>
  z.preprocess(
    withoutEmpty,
    AgentFrontmatter.superRefine(({ hooks, backend, command }, context) => {
      if (backend === "acp" && command === undefined)
        context.addIssue({ code: "custom", path: ["backend"], message: "acp needs a command that starts the program" });
      if (command !== undefined && backend !== "acp")
        context.addIssue({ code: "custom", path: ["command"], message: "is for backend: acp alone" });
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

/** The fields that are right by themselves. */
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

/** An issue without a message would be given one. */
export const plain = "plain";

/**
 * An issue for every field, which tells its place: with words where there is something to wonder about, else `plain`.
 * `further` are fields that are known besides.
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
    return `is not a field that is known, and is not used${near === undefined ? "" : `; did you mean ${near}?`}`;
  }
  if (key === "color" && value !== null && !AgentColor.safeParse(value).success) {
    return `there is no such colour; there is ${AgentColor.options.join(", ")}`;
  }
  return undefined;
}

const lists = new Set(["tools", "disallowedTools", "requiredMcpServers", "skills"]);

/** An issue in words for whoever wrote the file. */
export function fieldMessage(field: string | undefined, message: string): string {
  const text = message.replace(/^Invalid (?:input|option): /, "");
  if (text.endsWith("received undefined")) return "is missing";
  const [name = ""] = field?.split(".") ?? [];
  if (lists.has(name) && text === "Invalid input") {
    return `expected names with commas between them, or a list${name === "tools" ? "; leave the line out to give all tools" : ""}`;
  }
  if (name === "mcpServers" && text === "Invalid input") return "expected names of servers, or servers by their names";
  return text;
}
