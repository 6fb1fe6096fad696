import { nearestName } from "../../platform/index.ts";
import { type AgentDefinition, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { adaptTools, limitTool, parseRule, type Rule, splitRules, type Tool } from "../../tool/index.ts";
import { isReadOnlyType } from "./read-only-type.ts";
import type { AgentProblem } from "./agent-problem.ts";
import { backgroundSafeTools, toolsDeniedToAgents, toolsDeniedToUserDefined, teamTools } from "./agent-tool-lists.ts";

/** `teammate`: a member of a team in this process. */
export type AgentKind = "foreground" | "background" | "teammate";

export interface AgentToolsRequest {
  readonly definition: Pick<AgentDefinition, "tools" | "disallowedTools" | "permissionMode">;
  /** All tools, including those of connected servers. Not the parent's list, which is limited for the parent. */
  readonly pool: readonly Tool[];
  readonly kind: AgentKind;
  readonly mode: PermissionMode;
  /** True if the definition is not built in. */
  readonly userDefined: boolean;
}

export interface AgentTools {
  readonly tools: readonly Tool[];
  /** The limits of tools that are only partly allowed. */
  readonly limits: readonly {
    readonly tool: string;
    readonly only: readonly string[];
    readonly never: readonly string[];
  }[];
  /** Entries of the definition without effect, each with the reason. They are always reported. */
  readonly reports: readonly EntryReport[];
}

export interface EntryReport {
  readonly field: "tools" | "disallowedTools";
  readonly entry: string;
  /** A warning for entries that another program would understand, and for tools that are not available now. */
  readonly severity: AgentProblem["severity"];
  readonly message: string;
}

/**
 * The tools of an agent: those that its kind may have, minus the disallowed ones, limited to those that its definition
 * names.
 */
export function selectAgentTools(request: AgentToolsRequest): AgentTools {
  const { definition, pool } = request;
  const allowed = pool.filter(({ name }) => mayUse(name, request));
  const names = { all: pool.map(({ name }) => name), allowed: allowed.map(({ name }) => name) };
  const taken = readEntries("disallowedTools", definition.disallowedTools ?? [], names);
  const given = definition.tools && readEntries("tools", definition.tools, names);
  const selected = allowed.flatMap((tool) => {
    const never = taken.entries.filter((entry) => isPresent(entry.tool, tool.name));
    if (never.some(isWholeTool)) return [];
    const named = given?.entries.filter((entry) => isPresent(entry.tool, tool.name));
    if (named?.length === 0) return isMemberTool(tool.name, request) ? [{ tool, only: [], never }] : [];
    const only = named === undefined || named.some(isWholeTool) ? [] : named;
    return [{ tool, only, never }];
  });
  const adapted = adaptTools(selected.map(({ tool }) => tool));
  const texts = (rules: readonly Rule[]) => rules.map(({ text }) => text);
  const isLimited = ({ only, never }: (typeof selected)[number]) => only.length + never.length > 0;
  return {
    tools: adapted.flatMap((tool, index) => {
      const limits = selected[index];
      return limits && isLimited(limits) ? limitTool(tool, limits) : tool;
    }),
    limits: selected
      .filter(isLimited)
      .map(({ tool, only, never }) => ({ tool: tool.name, only: texts(only), never: texts(never) })),
    reports: [...taken.reports, ...(given?.reports ?? [])],
  };
}

/** The filters that hold for every definition. The first one that covers a tool decides. */
function mayUse(name: string, request: AgentToolsRequest): boolean {
  const { kind, userDefined } = request;
  if (name.startsWith("mcp__")) return true;
  if (name === "ExitPlanMode") return presentsPlan(request);
  const inTeam = kind === "teammate";
  if (toolsDeniedToAgents.has(name) || (teamTools.has(name) && !inTeam)) return false;
  if (userDefined && toolsDeniedToUserDefined.has(name)) return false;
  if (kind === "foreground") return true;
  return backgroundSafeTools.has(name) || (inTeam && (name === "Agent" || teamTools.has(name)));
}

/**
 * The tools that every teammate needs, whatever its definition names: to send messages, share tasks and present its
 * plan.
 */
const isMemberTool = (name: string, request: AgentToolsRequest): boolean =>
  request.kind === "teammate" &&
  ((teamTools.has(name) && !toolsDeniedToUserDefined.has(name)) || (name === "ExitPlanMode" && presentsPlan(request)));

/** A subagent's plan is its last message, and an agent of a type that only reads has no plan to carry out. */
const presentsPlan = ({ kind, mode, definition }: AgentToolsRequest): boolean =>
  kind === "teammate" && mode === "plan" && !isReadOnlyType(definition);

interface Names {
  readonly all: readonly string[];
  readonly allowed: readonly string[];
}

function readEntries(field: EntryReport["field"], texts: readonly string[], names: Names) {
  const entries: Rule[] = [];
  const reports: EntryReport[] = [];
  for (const entry of texts) {
    const read = readEntry(entry.trim().replace(/^(mcp__.+)__\*$/, "$1"));
    if ("problem" in read) {
      reports.push({ field, entry, severity: "error", message: read.problem });
      // A disallowed entry that cannot be parsed disallows the whole tool.
      if (field === "disallowedTools") entries.push(...wholeTool(entry));
      continue;
    }
    entries.push(...read.rules);
    const report = reportOf(read.rules[0]?.tool ?? entry, names, field);
    if (report) reports.push({ field, entry, ...report });
  }
  return { entries, reports };
}

function wholeTool(entry: string): Rule[] {
  const name = /^\s*([A-Za-z][\w-]*)/.exec(entry)?.[1];
  return name === undefined ? [] : [parseRule(name)];
}

function readEntry(entry: string): { rules: readonly Rule[] } | { problem: string } {
  const [, name, words] = /^([^()]+?)(?:\((.*)\))?$/s.exec(entry) ?? [];
  if (name === undefined) return { problem: "is neither a tool name nor a rule such as Bash(git diff:*)" };
  // One pair of brackets may also name several agent types.
  const texts =
    /^(Agent|Task)$/.test(name) && words !== undefined ? splitRules(words).map((type) => `${name}(${type})`) : [entry];
  try {
    return { rules: texts.map((text) => parseRule(text)) };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { problem: error.message.replace(/^"(?:[^"\\]|\\.)*" /, "") };
  }
}

function reportOf(
  wanted: string,
  { all, allowed }: Names,
  field: EntryReport["field"],
): Pick<EntryReport, "severity" | "message"> | undefined {
  if (allowed.some((name) => isPresent(wanted, name))) return undefined;
  if (all.some((name) => isPresent(wanted, name))) {
    return field === "tools" ? { severity: "warning", message: "is not available to this kind of agent" } : undefined;
  }
  const missing = "there is no such tool";
  if (wanted.startsWith("mcp__")) return { severity: "warning", message: `${missing} now: is its server connected?` };
  if (isMcpTool(wanted)) return { severity: "warning", message: `${missing} here` };
  const near = nearestName(wanted, all);
  return { severity: "error", message: near === undefined ? missing : `${missing}; did you mean ${near}?` };
}

/** True for a tool of another program whose definition files are also read. */
function isMcpTool(name: string): boolean {
  try {
    parseRule(name, []);
    return true;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return false;
  }
}

const isPresent = (wanted: string, name: string) =>
  wanted === "*" || wanted === name || (wanted.startsWith("mcp__") && name.startsWith(`${wanted}__`));

const isWholeTool = (rule: Rule) =>
  rule.specifier === undefined || rule.specifier.trim() === "*" || rule.command?.everything;
