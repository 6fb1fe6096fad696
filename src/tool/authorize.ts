import { isInside, realPathSync } from "../platform/index.ts";
import type { PermissionDecision, PermissionMode } from "../protocol/index.ts";
import type { PermissionSubject, Tool, ToolContext } from "./define-tool.ts";
import { matchesRule } from "./match-rule.ts";
import { resolvePath } from "./resolve-path.ts";
import type { Rule, RuleSet } from "./rules.ts";

export interface AuthorizeRequest {
  readonly tool: Pick<Tool, "name" | "access">;
  /** As `resolveSubject` gives it: paths real and absolute. */
  readonly subject: PermissionSubject;
  /** One line for the question: the tool's title. */
  readonly title: string;
  readonly mode: PermissionMode;
  readonly rules: RuleSet;
  /** Real and absolute. */
  readonly roots: readonly string[];
  readonly cwd: string;
  /**
   * The command will run in the sandbox: nothing but the working folders can be written, protected paths in them cannot, and
   * the network is closed but for the hosts the user has named. What only the mode would ask about is then allowed; deny and
   * ask rules hold as ever.
   */
  readonly sandboxed?: boolean | undefined;
}

/**
 * What the policy says of one call: deny rules first, then the mode's own bounds, then ask rules, then allow rules, then
 * what the mode leaves. Pure: the same request gives the same decision, and each names what made it.
 */
export function authorize(request: AuthorizeRequest): PermissionDecision {
  const { mode, rules, tool, subject } = request;
  const find = (list: readonly Rule[]) =>
    list.find((rule) => matchesRule(rule, { tool: tool.name, subject, cwd: request.cwd }));

  const denied = find(rules.deny);
  if (denied) {
    const reason = `The rule ${denied.text} forbids this. Do not try to get round it: find another way, or ask the user.`;
    return { behavior: "deny", rule: `deny ${denied.text}`, reason };
  }
  if (subject.kind === "own") return { behavior: "allow", rule: "own" };
  if (mode === "plan" && tool.access !== "read") {
    const reason = `In plan mode nothing is changed or run: ${tool.name} is not allowed. Go on reading, and present the plan when it is ready.`;
    return { behavior: "deny", rule: "mode plan", reason };
  }
  if (mode === "bypassPermissions") return { behavior: "allow", rule: "mode bypassPermissions" };
  const asked = find(rules.ask);
  if (asked) return ask(request, `ask ${asked.text}`);
  if (subject.kind === "mcp" && subject.changed) return ask(request, "changed since it was allowed");
  const allowed = find(rules.allow);
  if (allowed) return { behavior: "allow", rule: `allow ${allowed.text}` };
  return byMode(request);
}

function byMode(request: AuthorizeRequest): PermissionDecision {
  if (request.sandboxed && request.subject.kind === "command") return { behavior: "allow", rule: "sandbox" };
  const { mode, subject, tool } = request;
  const inside = subject.kind === "path" && request.roots.some((root) => isInside(subject.path, root));
  const harmless = tool.access === "read" && (inside || subject.kind === "none" || subject.kind === "name");
  const edit = mode === "acceptEdits" && tool.access === "write" && inside;
  return harmless || edit ? { behavior: "allow", rule: `mode ${mode}` } : ask(request, `mode ${mode}`);
}

function ask(request: AuthorizeRequest, rule: string): PermissionDecision {
  const { tool, subject, title } = request;
  if (request.mode === "dontAsk") {
    const reason = `${tool.name} would need the user's permission here, and nobody is asked in this session. Find a way that needs none, or say what you would need.`;
    return { behavior: "deny", rule: rule === "mode dontAsk" ? rule : `${rule}, mode dontAsk`, reason };
  }
  return { behavior: "ask", rule, question: `Allow ${title}?`, suggestions: [suggestion(tool.name, subject)] };
}

/** The rule that would have allowed just this. */
function suggestion(tool: string, subject: PermissionSubject): string {
  if (subject.kind === "command") return `${tool}(${subject.command})`;
  if (subject.kind === "name") return `${tool}(${subject.name})`;
  if (subject.kind === "path") return `${tool}(${subject.path.replace(/[*?[{\\]/g, "\\$&")})`;
  return subject.kind === "url" ? `${tool}(domain:${new URL(subject.url).hostname})` : tool;
}

/** Follows links in the path a call speaks of: what is judged is what will be touched. */
export async function resolveSubject(
  subject: PermissionSubject,
  context: Pick<ToolContext, "cwd" | "env">,
): Promise<PermissionSubject> {
  if (subject.kind !== "path") return subject;
  return { ...subject, path: realPathSync(resolvePath(subject.path, context)) };
}
