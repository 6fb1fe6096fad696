import { existsSync, realpathSync } from "node:fs";
import { effectiveMode } from "../../agent/definitions/index.ts";
import type { PermissionPorts } from "../../agent/index.ts";
import { type PermissionDecision, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import {
  type AgentWorktree,
  authorize,
  type CommandSandbox,
  judgeSandbox,
  ownCopyOf,
  parseRule,
  resolveSubject,
  type RuleSet,
  type Tool,
  withoutGitHooks,
} from "../../tool/index.ts";
import { isInside, realPathSync } from "../../platform/index.ts";
import { agentWorktree } from "./agent-worktree.ts";
import { readFileFacts } from "./file-facts.ts";
import { createOwnFiles } from "./own-files.ts";
import { saveRules } from "./save-rule.ts";

export interface Policy {
  readonly decide: PermissionPorts["decide"];
  readonly remember: PermissionPorts["remember"];
  readonly roots: readonly string[];
  /** The real path that was checked for a call with this input, if it has a path. */
  judgedPath(input: unknown): string | undefined;
  /** Returns true if a rule may match a call, and also if that cannot be determined. */
  mayMatch(rule: string, tool: Tool, input: unknown): Promise<boolean>;
  /** The environment of a call with this input. */
  environmentOf(input: unknown): Readonly<Record<string, string>>;
  setMode(mode: PermissionMode): void;
  /** Also allows these rules until `endGrants`. Returns the problems of invalid rules. */
  grant(rules: readonly string[]): readonly string[];
  endGrants(): void;
}

export interface PolicyOptions {
  /** The folder of the session. */
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly rules: RuleSet;
  readonly childEnv: Readonly<Record<string, string>>;
  /** The file for rules that are allowed permanently. */
  readonly localSettings: string;
  /** The folders the agent may work in, own folder first. Never set by a model. */
  readonly roots: readonly string[];
  /** The current mode of the agent that started this one, which is the upper limit. */
  readonly ceiling?: (() => PermissionMode) | undefined;
  /** The agent's current folder. */
  readonly currentCwd: () => string;
  /** Session folders that the agent may read, for example with results that were too large. */
  readonly ownFolders: () => readonly string[];
  /** The current meaning of the mode `bubble`: the mode of the fork's parent. */
  readonly bubblesTo?: (() => PermissionMode) | undefined;
  /** The folder of the agent's notes: a real, absolute path. */
  readonly memory?: string | undefined;
  /** The folder that the session's agents share: a real, absolute path. */
  readonly scratchpad?: string | undefined;
  /** The current rules of the team. */
  readonly teamRules?: (() => RuleSet["allow"]) | undefined;
  /** The sandbox for commands, read at the first call. */
  readonly sandbox: () => CommandSandbox | undefined;
}

/** Decides calls by the current rules and mode: those of the settings and of the answers since. */
export function createPolicy(options: PolicyOptions): Policy {
  const folder = realpathSync(options.cwd);
  const roots = options.roots.map((path) => realpathSync(path));
  const bases = [...new Set([folder, ...roots.slice(0, 1)])];
  const stateHome = options.childEnv["TROUPE_HOME"];
  const stateRoot = stateHome ? realPathSync(stateHome, folder) : undefined;
  const root = roots[0] ?? folder;
  const worktree = agentWorktree({ folder, own: root });
  const own = createOwnFiles({ root, env: options.childEnv });
  /** Calls whose git commands run without the repository's hooks. */
  const hookless = new WeakSet<object>();
  let mode = options.permissionMode;
  let rules: RuleSet = options.rules;
  let granted: RuleSet["allow"] = [];
  const judged = new WeakMap<object, string>();
  const modeNow = () => {
    if (mode === "bubble") return options.bubblesTo?.() ?? "default";
    return options.ceiling ? effectiveMode({ parent: options.ceiling(), definition: mode }).mode : mode;
  };
  return {
    roots,
    judgedPath: (input) => (typeof input === "object" && input !== null ? judged.get(input) : undefined),
    environmentOf: (input) =>
      typeof input === "object" && input !== null && hookless.has(input)
        ? withoutGitHooks(options.childEnv)
        : options.childEnv,
    setMode: (next) => {
      mode = next;
    },
    grant(texts) {
      const problems: string[] = [];
      for (const text of texts) {
        try {
          granted = [...granted, { ...parseRule(text), granted: true }];
        } catch (error) {
          if (!TroupeError.is(error)) throw error;
          problems.push(error.message);
        }
      }
      return problems;
    },
    endGrants: () => {
      granted = [];
    },
    async mayMatch(rule, tool, input) {
      const subject = await resolveSubject(tool.subject(input), { cwd: options.currentCwd(), env: options.childEnv });
      const only: RuleSet = { deny: [parseRule(rule)], ask: [], allow: [parseRule(tool.name)] };
      const decision = authorize({
        tool,
        subject,
        title: tool.title(input),
        mode: "default",
        rules: only,
        roots,
        bases,
        cwd: options.currentCwd(),
        home: options.childEnv["HOME"],
        realPath: realPathSync,
      });
      return decision.behavior !== "allow";
    },
    async decide(tool, input) {
      const cwd = options.currentCwd();
      const refused = tool.refuse?.(input, { cwd, roots, env: options.childEnv });
      if (refused !== undefined) return { behavior: "deny", rule: "agent definition", reason: refused };
      const subject = await resolveSubject(tool.subject(input), { cwd, env: options.childEnv });
      if (subject.kind === "path" && typeof input === "object" && input !== null) judged.set(input, subject.path);
      const { sandboxed, refusal } = await judgeSandbox(subject, options.sandbox());
      if (refusal) return refusal;
      const within = tool.access === "read" ? [...roots, ...options.ownFolders()] : roots;
      const current = modeNow();
      const files =
        subject.kind === "command" && current === "acceptEdits"
          ? await readFileFacts({
              root,
              command: subject.command,
              env: options.childEnv,
              isOwn: worktree !== undefined,
              ...own,
            })
          : undefined;
      const decision = authorize({
        tool,
        subject,
        title: tool.title(input),
        mode: current,
        rules: { ...rules, allow: [...rules.allow, ...granted, ...(options.teamRules?.() ?? [])] },
        roots: within,
        bases,
        cwd,
        sandboxed,
        home: options.childEnv["HOME"],
        stateRoot,
        memory: options.memory,
        scratchpad: options.scratchpad,
        workspace: { worktree, files },
        realPath: realPathSync,
      });
      if (decision.behavior === "allow") {
        if (tool.access === "read" && subject.kind === "path")
          return withCopy(decision, subject.path, { worktree, memory: options.memory });
        own.noteChanges(decision.changes);
        if (subject.kind === "path" && subject.change && !worktree) await own.noteWrite(subject.path);
        if (decision.changes?.git && typeof input === "object" && input !== null) hookless.add(input);
      }
      return decision;
    },
    async remember(answer, suggestions) {
      if (answer.behavior !== "allow" || answer.scope === "once") return;
      if (answer.scope === "always") await saveRules(options.localSettings, suggestions);
      rules = { ...rules, allow: [...rules.allow, ...suggestions.map((text) => parseRule(text))] };
    },
  };
}

type Allowed = Extract<PermissionDecision, { behavior: "allow" }>;

/** Names the agent's own copy of what it reads in the main checkout, if it has one. Its memory has no copy. */
function withCopy(
  decision: Allowed,
  path: string,
  { worktree, memory }: { worktree: AgentWorktree | undefined; memory: string | undefined },
): Allowed {
  const copy = ownCopyOf(path, { worktree });
  const isOwn = memory !== undefined && isInside(path, memory);
  return copy === undefined || isOwn || !existsSync(copy) ? decision : { ...decision, copy };
}
