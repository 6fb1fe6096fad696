import * as z from "zod";
import { nearestName } from "../../platform/index.ts";
import { cut, LibraryOptions, type ModelClient, PermissionMode, TroupeError } from "../../protocol/index.ts";
import { type FunctionHooks, functionHooksProblem } from "../hooks/function-hooks.ts";
import type { CreateSessionOptions } from "./create-session.ts";

const text = z.string().min(1);
const list = z.array(text);
const object = z.record(z.string(), z.unknown());
const isFunction = (value: unknown) => typeof value === "function";
const isEnvironment = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((each) => each === undefined || typeof each === "string");
const isModelClient = (value: unknown): value is ModelClient =>
  typeof value === "object" && value !== null && "ref" in value && "stream" in value && isFunction(value.stream);

/** The options as `createSession` takes them. The files of settings and agents are checked where they are read. */
const Options = z
  .strictObject({
    ...LibraryOptions.shape,
    permissionMode: PermissionMode.exclude(["bubble"]),
    cwd: text,
    model: z.union([text, z.custom<ModelClient>(isModelClient)], { error: "expected a model name or a model client" }),
    tools: z.array(z.unknown()),
    memory: z.boolean(),
    resume: text,
    trust: z.enum(["none", "all"]),
    onPermission: z.union([z.enum(["reply", "nobody"]), z.custom(isFunction)], {
      error: 'expected a function, "reply" or "nobody"',
    }),
    addDirectories: list,
    mcpServers: z.record(text, object),
    keep: z.enum(["all", "lead", "none"]),
    observable: z.boolean(),
    // Not a record: the environment of a process is not a plain object.
    env: z.custom(isEnvironment, { error: "expected an object of texts by name" }),
    agents: z.record(text, object),
    hooks: z.custom<FunctionHooks>(),
    systemPrompt: text,
    settings: object,
    sandbox: z.union([z.enum(["off", "auto", "required"]), object], {
      error: 'expected "off", "auto", "required" or an object as in the settings',
    }),
    outputSchema: z.unknown(),
  } satisfies Record<keyof Required<CreateSessionOptions>, z.ZodType>)
  .partial();

/** Throws a usage error that names the option, its value and what is allowed. */
export async function checkOptions(options: object): Promise<void> {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const checked = Options.safeParse(set);
  const problems = [
    ...(checked.error?.issues.flatMap((issue) => problemOf(issue, set)) ?? []),
    ...(checked.success ? combinationProblems(set) : []),
    ...("tools" in set && Array.isArray(set["tools"]) ? set["tools"].flatMap(toolProblems) : []),
    ...("outputSchema" in set ? schemaProblems(set["outputSchema"], "outputSchema") : []),
    ...("hooks" in set ? functionHooksProblem(set["hooks"]) : []),
    ...(checked.success ? await serverProblems(checked.data.mcpServers) : []),
  ];
  if (problems.length > 0) throw new TroupeError("usage", `cannot create the session: ${problems.join("; ")}`);
}

function problemOf(issue: z.core.$ZodIssue, options: object): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map(unknownOption);
  const allowed =
    issue.code === "invalid_value" ? `expected one of ${issue.values.join(", ")}` : lowerFirst(issue.message);
  return [`${z.core.toDotPath(issue.path)}: ${shown(valueAt(options, issue.path))} is not allowed, ${allowed}`];
}

function unknownOption(name: string): string {
  const near = nearestName(name, Object.keys(Options.shape));
  return `there is no option ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`;
}

const together = [
  ["memory", "team"],
  ["memory", "observable"],
  ["memory", "resume"],
  ["coordinator", "systemPrompt"],
] as const;

const combinationProblems = (options: Readonly<Record<string, unknown>>): string[] =>
  together
    .filter((names) => names.every((name) => options[name] !== undefined && options[name] !== false))
    .map(([first, second]) => `${first} cannot be combined with ${second}`);

function toolProblems(tool: unknown, index: number): string[] {
  const at = `tools[${index}]`;
  if (typeof tool !== "object" || tool === null) return [`${at}: ${shown(tool)} is not allowed, expected a tool`];
  const { name, input, execute } = tool as Readonly<Record<string, unknown>>;
  return [
    ...(typeof name === "string" && /^[\w-]{1,128}$/.test(name)
      ? []
      : [`${at}.name: ${shown(name)} is not allowed, expected letters, digits, _ and -`]),
    ...schemaProblems(input, `${at}.input`),
    ...(isFunction(execute) ? [] : [`${at}.execute: ${shown(execute)} is not allowed, expected a function`]),
  ];
}

function schemaProblems(schema: unknown, at: string): string[] {
  if (typeof schema === "object" && schema !== null) {
    if ("_zod" in schema) return [];
    if ("_def" in schema) return [`${at}: this is a schema of zod 3. Use zod 4: import { z } from "troupe"`];
  }
  return [`${at}: ${shown(schema)} is not allowed, expected a schema of zod 4`];
}

async function serverProblems(servers: Readonly<Record<string, object>> = {}): Promise<string[]> {
  if (Object.keys(servers).length === 0) return [];
  const { McpServerConfig } = await import("../../tool/mcp/index.ts");
  return Object.entries(servers).flatMap(([name, server]) => {
    const [issue] = McpServerConfig.safeParse(server).error?.issues ?? [];
    if (issue === undefined) return [];
    const path = z.core.toDotPath(["mcpServers", name, ...issue.path]);
    return [`${path}: ${lowerFirst(issue.message)}. A server has a command or a url`];
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : inner,
    value,
  );
}

function shown(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  if (typeof value === "function") return "a function";
  return cut(typeof value === "string" ? JSON.stringify(value) : String(value), 60);
}

const lowerFirst = (message: string) => message.slice(0, 1).toLowerCase() + message.slice(1);
