import { nearestName, definedFields } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { type CommandPattern, commandPattern } from "../shell/command-pattern.ts";

/** A rule of the settings: `Tool`, or `Tool(specifier)`. `text` is the rule as written. */
export interface Rule {
  readonly text: string;
  readonly tool: string;
  readonly specifier: string | undefined;
  /** The parsed specifier of a `Bash` rule. */
  readonly command?: CommandPattern | undefined;
  /** The file or flag it comes from. */
  readonly source?: string | undefined;
  /** Base of a path that begins with one slash. */
  readonly folder?: string | undefined;
  /** True if a skill grants it, and not the user's settings, flags or answers. */
  readonly granted?: boolean | undefined;
}

export interface RuleSet {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** A rule before parsing. */
export type RuleText =
  | string
  | { readonly value: string; readonly source: string; readonly folder?: string | undefined };

export const noRules: RuleSet = { allow: [], ask: [], deny: [] };

export function parseRules(
  texts: { allow?: readonly RuleText[]; ask?: readonly RuleText[]; deny?: readonly RuleText[] },
  tools: readonly string[] = [],
): RuleSet {
  const all = (list: readonly RuleText[] = []) => list.map((text) => parseRule(text, tools));
  return { allow: all(texts.allow), ask: all(texts.ask), deny: all(texts.deny) };
}

/**
 * Throws a `TroupeError` for text that is not a rule: a rule without meaning would protect nothing. With `tools`, the
 * rule must name one of them, or a tool of Troupe or Claude Code. Settings of Claude Code are read as they are, so
 * unknown names are accepted only in those files.
 */
export function parseRule(given: RuleText, tools?: readonly string[]): Rule {
  const { value, source, folder } =
    typeof given === "string" ? { value: given, source: undefined, folder: undefined } : given;
  const text = value.trim();
  const fail = (problem: string): never => {
    throw new TroupeError(
      "settings",
      `${source === undefined ? "" : `${source}: `}${JSON.stringify(value)} ${problem}`,
    );
  };
  const found = /^([A-Za-z][\w-]*|\*)(?:\((.*)\))?$/s.exec(text);
  const [, tool, specifier] = found ?? [];
  if (tool === undefined || specifier?.trim() === "") {
    return fail("is not a permission rule: write a tool's name, such as Bash, or Bash(git status).");
  }
  const known = tools && [...knownTools, ...tools];
  const foreign = source !== undefined && /[\\/]\.claude[\\/]/.test(source);
  if (known && !known.includes(tool) && tool !== "*" && !tool.startsWith("mcp__") && !foreign) {
    const nearest = nearestName(tool, known);
    return fail(
      `names the tool ${tool}, which does not exist${nearest === undefined ? "" : `: did you mean ${nearest}?`}`,
    );
  }
  const problem = specifier === undefined ? undefined : specifierProblem(tool, specifier);
  if (problem !== undefined && !foreign) return fail(problem);
  return {
    text,
    tool: aliases.get(tool) ?? tool,
    specifier,
    ...(tool === "Bash" && specifier !== undefined && { command: commandPattern(specifier) }),
    ...definedFields({ source, folder }),
  };
}

const aliases = new Map([
  ["Task", "Agent"],
  ["MultiEdit", "Edit"],
  ["BashOutput", "TaskOutput"],
  ["KillShell", "TaskStop"],
]);

const knownTools = (
  "Agent AskUserQuestion Bash BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep KillShell LS ListMcpResources MultiEdit " +
  "NotebookEdit NotebookRead Read ReadMcpResource SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput " +
  "TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Write"
).split(" ");

function specifierProblem(tool: string, specifier: string): string | undefined {
  if (tool === "*") return "cannot have brackets: * stands for every use of every tool.";
  if (tool.startsWith("mcp__")) return "cannot have brackets: write MCP rules as mcp__server or mcp__server__tool.";
  if (tool === "WebFetch" && /^\w+:/.test(specifier) && !/^(domain|https?):/.test(specifier)) {
    return "has an unknown form: write WebFetch(domain:example.com).";
  }
  if (
    tool === "WebFetch" &&
    specifier.startsWith("domain:") &&
    !/^domain:(\*\.)?[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(specifier)
  ) {
    return "does not name a host: write WebFetch(domain:example.com), or domain:*.example.com for the hosts below it.";
  }
  return undefined;
}

/**
 * Splits rules separated by commas or blanks, which may also occur inside brackets: `--allowedTools "Bash(git log:*)
 * Read,Edit"`.
 */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = "";
  for (const char of text) {
    if (depth === 0 && /[\s,]/.test(char)) {
      rules.push(rule);
      rule = "";
      continue;
    }
    if (char === "(") depth += 1;
    if (char === ")") depth = Math.max(0, depth - 1);
    rule += char;
  }
  return [...rules, rule].filter((each) => each !== "");
}

/** Names a rule for people: its list, its text, and its source. */
export function ruleName(list: keyof RuleSet, { text, source }: Rule): string {
  return source === undefined ? `${list} ${text}` : `${list} ${text} (${source})`;
}
