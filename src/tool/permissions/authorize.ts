import { isInside, realPathSync } from "../../platform/index.ts";
import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import { authorizeCommand } from "./authorize-command.ts";
import { askDecision, forbiddenDenial, planDenial, protectedDenial } from "./permission-decisions.ts";
import type { PermissionSubject, Tool, ToolContext } from "../define-tool.ts";
import { basesOf, matchesRule } from "./match-rule.ts";
import { protectedReason } from "./protected-paths.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { type Rule, type RuleSet, ruleName } from "./permission-rules.ts";
import { isSecretPath } from "./secret-paths.ts";

export interface AuthorizeRequest {
  readonly tool: Pick<Tool, "name" | "access">;
  /** As `resolveSubject` returns it: paths are real and absolute. */
  readonly subject: PermissionSubject;
  /** The tool's title, one line for the question. */
  readonly title: string;
  readonly mode: PermissionMode;
  readonly rules: RuleSet;
  /** Real and absolute. The first is the folder where the session was started: paths in rules are relative to it. */
  readonly roots: readonly string[];
  /**
   * Folders that relative rules start from, real and absolute: the start folder of the session, and the agent's
   * worktree. Default: the first root.
   */
  readonly bases?: readonly string[] | undefined;
  readonly cwd: string;
  /**
   * True if the command will run in the sandbox. It can write only to the working folders without their protected
   * paths, and reach only the hosts that the user named. Calls that only the mode would ask about are then allowed;
   * deny and ask rules still apply.
   */
  readonly sandboxed?: boolean | undefined;
  /** The user's home folder, for `~`. */
  readonly home?: string | undefined;
  /** The folder of Troupe's own state. */
  readonly stateRoot?: string | undefined;
  /** The agent's memory folder, real and absolute. File tools use it without asking, even outside the roots. */
  readonly memory?: string | undefined;
  /**
   * The folder that the agents of a session share, real and absolute. File tools use it without asking, and commands
   * may read and write there.
   */
  readonly scratchpad?: string | undefined;
  /** Follows links, for the paths in commands and rules. Without it paths are used as written. */
  readonly realPath?: ((path: string) => string) | undefined;
}

/**
 * Decides about one call. Order: deny rules, limits of the mode and protected files, ask rules, allow rules, then the
 * default of the mode. The same request always gives the same decision. Each decision names the rule or mode that made
 * it.
 */
export function authorize(request: AuthorizeRequest): PermissionDecision {
  const { mode, rules, tool, subject } = request;
  if (subject.kind === "command") return authorizeCommand({ ...request, subject });
  const denied = find(rules.deny, request, true);
  if (denied) return { behavior: "deny", rule: ruleName("deny", denied), reason: forbiddenDenial(denied) };
  if (subject.kind === "own") return { behavior: "allow", rule: "own" };
  if (mode === "plan" && tool.access !== "read") return planDenial(tool.name);
  if (mode === "bypassPermissions") return { behavior: "allow", rule: "mode bypassPermissions" };
  if (subject.kind === "path" && subject.change) {
    const reason = protectedReason(subject.path, { ...request, own: ownFolder(subject.path, request)?.folder });
    if (reason !== undefined) return protectedDenial(reason);
  }
  const asked = find(rules.ask, request, false);
  if (asked) return askDecision(request, { rule: ruleName("ask", asked), suggestions: [] });
  if (subject.kind === "mcp" && subject.changed) {
    return askDecision(request, { rule: "changed since it was allowed", suggestions: [tool.name] });
  }
  const allowed = find(rules.allow, request, false);
  if (allowed) return { behavior: "allow", rule: ruleName("allow", allowed) };
  return byMode(request);
}

function find(list: readonly Rule[], request: AuthorizeRequest, wide: boolean): Rule | undefined {
  const { tool, subject, home, realPath } = request;
  return list.find((rule) =>
    basesOf(request).some((base) => matchesRule(rule, { tool: tool.name, subject, base, home, realPath, wide })),
  );
}

function byMode(request: AuthorizeRequest): PermissionDecision {
  const { mode, subject, tool } = request;
  const own = subject.kind === "path" ? ownFolder(subject.path, request) : undefined;
  const rule = own?.rule ?? `mode ${mode}`;
  const inside =
    subject.kind === "path" && (own !== undefined || request.roots.some((root) => isInside(subject.path, root)));
  if (tool.access === "read" && inside && isSecretPath(subject.path)) {
    const reason = `${subject.path} looks like a file with secrets`;
    return askDecision(request, { rule: "secret file", reason, suggestions: [suggestion(tool.name, subject)] });
  }
  const harmless = tool.access === "read" && (inside || subject.kind === "none" || subject.kind === "name");
  const edit = tool.access === "write" && (own !== undefined || (mode === "acceptEdits" && inside));
  if (harmless || edit) return { behavior: "allow", rule };
  return askDecision(request, { rule, suggestions: [suggestion(tool.name, subject)] });
}

/** Returns the agent's own folder (memory or scratchpad) that contains the path, even outside the roots. */
function ownFolder(path: string, { memory, scratchpad }: AuthorizeRequest) {
  const own = [
    { folder: memory, rule: "the agent's memory" },
    { folder: scratchpad, rule: "the session's scratchpad" },
  ];
  return own.find(({ folder }) => folder !== undefined && isInside(path, folder));
}

/** Returns the narrowest rule that would allow this call. */
function suggestion(tool: string, subject: PermissionSubject): string {
  switch (subject.kind) {
    case "path":
      return `${tool}(/${subject.path.replace(/[*?[{\\]/g, "\\$&")})`;
    case "url":
      return `${tool}(domain:${new URL(subject.url).hostname})`;
    case "name":
      return `${tool}(${subject.name})`;
    case "none":
    case "own":
    case "mcp":
    case "command":
      return tool;
  }
}

/** Follows links in the path of a call, so that the path that is checked is the path that is touched. */
export async function resolveSubject(
  subject: PermissionSubject,
  context: Pick<ToolContext, "cwd" | "env">,
): Promise<PermissionSubject> {
  if (subject.kind !== "path") return subject;
  return { ...subject, path: realPathSync(resolvePath(subject.path, context)) };
}
