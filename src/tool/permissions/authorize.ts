import { relative } from "node:path";
import { isInside, realPathSync } from "../../platform/index.ts";
import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import { authorizeCommand } from "./authorize-command.ts";
import type { CommandWalls } from "./command-place.ts";
import { askDecision, forbiddenDenial, planDenial, protectedDenial } from "./permission-decisions.ts";
import type { PermissionSubject, Tool, ToolContext } from "../define-tool.ts";
import type { Disk } from "./disk.ts";
import { basesOf, matchesRule } from "./match-rule.ts";
import { protectedReason } from "./protected-paths.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { type Rule, type RuleSet, ruleName } from "./permission-rules.ts";
import { isSecretPath } from "./secret-paths.ts";
import { changesFreely, ownCopyOf, type Workspace } from "./workspace.ts";

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
  /** The walls that a command can have. Undefined if the sandbox is off. */
  readonly walls?: CommandWalls | undefined;
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
  readonly workspace?: Workspace | undefined;
  /** Where links, patterns and folders in commands and rules are looked up. Without it there are no files. */
  readonly disk?: Disk | undefined;
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
  const part = subject.kind === "path" ? subject.path : undefined;
  if (denied) return forbiddenDenial(denied, { part });
  if (subject.kind === "own") return { behavior: "allow", rule: "own" };
  if (mode === "plan" && tool.access !== "read") return planDenial(tool.name, { part });
  if (mode === "bypassPermissions") return { behavior: "allow", rule: "mode bypassPermissions" };
  if (subject.kind === "path" && subject.change) {
    const reason = protectedReason(subject.path, { ...request, own: ownFolder(subject.path, request)?.folder });
    if (reason !== undefined) return protectedDenial(reason);
  }
  const asked = find(rules.ask, request, false);
  if (asked) {
    const refused = { part, why: `the rule ${asked.text} asks for it` };
    return askDecision(request, { rule: ruleName("ask", asked), suggestions: [], refused });
  }
  if (subject.kind === "mcp" && subject.changed) {
    return askDecision(request, { rule: "changed since it was allowed", suggestions: [tool.name] });
  }
  const allowed = find(rules.allow, request, false);
  if (allowed) return { behavior: "allow", rule: ruleName("allow", allowed), ...outsideOf(request) };
  return byMode(request);
}

function outsideOf(request: AuthorizeRequest): { readonly outside?: string } {
  const { subject, cwd } = request;
  return subject.kind === "path" && subject.change && !isWithin(subject.path, request) ? { outside: cwd } : {};
}

const isWithin = (path: string, request: AuthorizeRequest) =>
  ownFolder(path, request) !== undefined || request.roots.some((root) => isInside(path, root));

function find(list: readonly Rule[], request: AuthorizeRequest, wide: boolean): Rule | undefined {
  const { tool, subject, home, disk } = request;
  const realPath = disk?.realPath;
  return list.find((rule) =>
    basesOf(request).some((base) => matchesRule(rule, { tool: tool.name, subject, base, home, realPath, wide })),
  );
}

function byMode(request: AuthorizeRequest): PermissionDecision {
  const { mode, subject, tool } = request;
  const suggestions = [suggestion(tool.name, subject, request)];
  if (subject.kind !== "path") {
    const harmless = tool.access === "read" && (subject.kind === "none" || subject.kind === "name");
    return harmless
      ? { behavior: "allow", rule: `mode ${mode}` }
      : askDecision(request, { rule: `mode ${mode}`, suggestions });
  }
  const { path: part } = subject;
  const own = ownFolder(part, request);
  const inside = isWithin(part, request);
  const readable = inside || isReadable(part, request);
  const isFree = inside && changesFreely({ mode, ownWorktree: isInOwnWorktree(part, request) });
  const rule =
    own?.rule ??
    (readable && !inside
      ? "the main checkout of the worktree"
      : isFree && mode !== "acceptEdits" && tool.access === "write"
        ? "the agent's own worktree"
        : `mode ${mode}`);
  if (tool.access === "read" && readable && isSecretPath(part)) {
    const refused = { part, why: "it looks like a file with secrets" };
    const reason = `${part} looks like a file with secrets`;
    return askDecision(request, { rule: "secret file", reason, suggestions, refused });
  }
  const edit = tool.access === "write" && (own !== undefined || isFree);
  if (edit || (tool.access === "read" && readable)) return { behavior: "allow", rule };
  const why = inside ? `files are changed only with permission in mode ${mode}` : "it is outside the working directory";
  const copy = ownCopyOf(part, request.workspace);
  const hints = [
    ...(copy === undefined ? [] : [{ kind: "copy", path: copy } as const]),
    ...(inside && mode === "default" ? [{ kind: "mode", mode: "acceptEdits" } as const] : []),
  ];
  return askDecision(request, { rule: `mode ${mode}`, suggestions, refused: { part, why, hints } });
}

const isInOwnWorktree = (path: string, { workspace }: AuthorizeRequest) =>
  workspace?.worktree !== undefined && isInside(path, workspace.worktree.top);

/** True for files of the main checkout of the agent's worktree, which it may read but not change. */
const isReadable = (path: string, { workspace }: AuthorizeRequest) =>
  workspace?.worktree !== undefined && isInside(path, workspace.worktree.readable);

/** Returns the agent's own folder (memory or scratchpad) that contains the path, even outside the roots. */
function ownFolder(path: string, { memory, scratchpad }: AuthorizeRequest) {
  const own = [
    { folder: memory, rule: "the agent's memory" },
    { folder: scratchpad, rule: "the session's scratchpad" },
  ];
  return own.find(({ folder }) => folder !== undefined && isInside(path, folder));
}

/** Returns the narrowest rule that would allow this call. */
function suggestion(tool: string, subject: PermissionSubject, request: AuthorizeRequest): string {
  switch (subject.kind) {
    case "path":
      return `${tool}(${lastingPath(subject.path, request).replace(/[*?[{\\]/g, "\\$&")})`;
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

/** The path as rules have it. The next worktree has another name, so a path in it is relative to the base of the rules. */
function lastingPath(path: string, request: AuthorizeRequest): string {
  const base = basesOf(request).find((each) => isInOwnWorktree(path, request) && isInside(path, each));
  return base === undefined ? `/${path}` : `./${relative(base, path)}`;
}

/** Follows links in the path of a call, so that the path that is checked is the path that is touched. */
export async function resolveSubject(
  subject: PermissionSubject,
  context: Pick<ToolContext, "cwd" | "env">,
): Promise<PermissionSubject> {
  if (subject.kind !== "path") return subject;
  return { ...subject, path: realPathSync(resolvePath(subject.path, context)) };
}
