import { realPathSync } from "../../platform/index.ts";
import { authorize } from "./authorize.ts";
import { failedResult, type PermissionSubject, type Tool, type ToolContext } from "../define-tool.ts";
import { realDisk } from "./disk.ts";
import { matchesRule } from "./match-rule.ts";
import { resolvePath } from "../files/resolve-path.ts";
import type { Rule } from "./permission-rules.ts";
import { matchCommand } from "../shell/command-pattern.ts";
import { readShellLine } from "../shell/shell-line.ts";

export interface ToolLimits {
  /** Only calls that match one of these are allowed. Empty: all calls. */
  readonly only: readonly Rule[];
  /** Calls that match one of these are not allowed. */
  readonly never: readonly Rule[];
}

type LimitContext = Pick<ToolContext, "cwd" | "roots" | "env" | "judgedPath">;

/**
 * Limits a tool as the agent definition says. Calls outside the limits are refused before the user is asked (`refuse`),
 * and again when the call runs: no approval can widen the limits.
 */
export function limitTool<I>(tool: Tool<I>, limits: ToolLimits): Tool<I> {
  const refuse = (input: unknown, place: LimitContext) => {
    const subject = realSubject(tool.subject(input as I), place);
    const why =
      subject.kind === "command"
        ? lineOutsideLimitsReason(tool, subject, { limits, place })
        : outsideLimitsReason(tool, subject, { limits, place });
    return why === undefined ? tool.refuse?.(input, place) : refusal(tool.name, limits, why);
  };
  return {
    ...tool,
    description: `${tool.description}\n\n${sentence(limits)}`,
    refuse,
    async execute(input, context) {
      const refused = refuse(input, context);
      return refused === undefined ? tool.execute(input, context) : failedResult(refused);
    },
  };
}

const texts = (rules: readonly Rule[]) => rules.map(({ text }) => text).join(", ");

const sentence = ({ only, never }: ToolLimits) =>
  [
    ...(only.length > 0 ? [`You may use it only for calls that match: ${texts(only)}.`] : []),
    ...(never.length > 0 ? [`You may not use it for calls that match: ${texts(never)}.`] : []),
    ...(only.some(({ command }) => command) ? ["Every command of a line must match."] : []),
  ].join(" ");

const refusal = (name: string, limits: ToolLimits, why: string) =>
  `This agent may not make this call of ${name}: ${why}. ${sentence(limits)} Find another way, or say in your answer that it was not possible.`;

function realSubject(subject: PermissionSubject, place: LimitContext): PermissionSubject {
  if (subject.kind !== "path") return subject;
  return { ...subject, path: place.judgedPath ?? realPathSync(resolvePath(subject.path, place)) };
}

interface Bounds {
  readonly limits: ToolLimits;
  readonly place: LimitContext;
}

function outsideLimitsReason(
  tool: Pick<Tool, "name">,
  subject: PermissionSubject,
  { limits, place }: Bounds,
): string | undefined {
  const judged = {
    tool: tool.name,
    subject,
    base: place.roots[0] ?? place.cwd,
    home: place.env["HOME"],
    realPath: realPathSync,
  };
  const forbidden = limits.never.find((rule) => matchesRule(rule, { ...judged, wide: true }));
  if (forbidden) return `${forbidden.text} is excluded`;
  if (limits.only.length === 0 || limits.only.some((rule) => matchesRule(rule, { ...judged, wide: false })))
    return undefined;
  return "no entry of its definition matches this call";
}

/**
 * Checks the line with the permission engine and only these rules. Unlike there, read-only commands need a rule here
 * too.
 */
function lineOutsideLimitsReason(
  tool: Pick<Tool, "name" | "access">,
  subject: Extract<PermissionSubject, { kind: "command" }>,
  { limits, place }: Bounds,
): string | undefined {
  const { only, never } = limits;
  const decision = authorize({
    tool,
    subject,
    title: subject.command,
    mode: "default",
    rules: {
      allow: only.length > 0 ? only : [{ text: tool.name, tool: tool.name, specifier: undefined }],
      ask: [],
      deny: never,
    },
    roots: place.roots,
    cwd: place.cwd,
    home: place.env["HOME"],
    disk: realDisk,
  });
  if (decision.behavior === "deny")
    return decision.rule.startsWith("deny ") ? "it contains an excluded command" : decision.reason;
  if (decision.behavior === "ask") return decision.reason ?? "no entry of its definition matches this command";
  if (only.length === 0 || only.some(({ command }) => command?.text === subject.command.trim())) return undefined;
  const unnamed = readShellLine(subject.command).commands.find(({ words }) => {
    if (words[0] === undefined || words[0].value === "cd") return false;
    const values = words.map(({ kind, value }) => (kind === "literal" ? value : undefined));
    return !only.some(({ command }) => command && matchCommand(command, values) !== undefined);
  });
  return unnamed && `no entry of its definition matches ${unnamed.words[0]?.text}`;
}
