import { existsSync, realpathSync } from "node:fs";
import { effectiveMode } from "../../agent/definitions/index.ts";
import type { PermissionPorts } from "../../agent/index.ts";
import { type PermissionDecision, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import {
  type AgentWorktree,
  authorize,
  changesFreely,
  type CommandSandbox,
  type CommandWalls,
  deniesReading,
  judgeSandbox,
  ownCopyOf,
  parseRule,
  type PermissionSubject,
  realDisk,
  resolveSubject,
  type RuleSet,
  type Tool,
  type Workspace,
} from "../../tool/index.ts";
import { isInside, realPathSync } from "../../platform/index.ts";
import { agentWorktree } from "./agent-worktree.ts";
import { findGitPrograms, readFileFacts } from "./file-facts.ts";
import { createOwnFiles } from "./own-files.ts";
import { saveRules } from "./save-rule.ts";

export interface Policy {
  readonly decide: PermissionPorts["decide"];
  readonly remember: PermissionPorts["remember"];
  readonly roots: readonly string[];
  /** The folders that relative rules start from. */
  readonly bases: readonly string[];
  /** The main checkout, if the agent works in its own worktree. */
  readonly mainTop: string | undefined;
  /** The real path that was checked for a call with this input, if it has a path. */
  judgedPath(input: unknown): string | undefined;
  /** True if a rule denies reading this file (real and absolute). */
  isDenied(path: string): boolean;
  /** Returns true if a rule may match a call, and also if that cannot be determined. */
  mayMatch(rule: string, tool: Tool, input: unknown): Promise<boolean>;
  /** The rules now: those of the settings, of skills, of the team and of answers. */
  rules(): RuleSet;
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
  /**
   * The folders the agent may work in, own folder first. The session sets them. A model only chooses where in them to
   * start.
   */
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
  let mode = options.permissionMode;
  let rules: RuleSet = options.rules;
  let granted: RuleSet["allow"] = [];
  const judged = new WeakMap<object, string>();
  const modeNow = () => {
    if (mode === "bubble") return options.bubblesTo?.() ?? "default";
    return options.ceiling ? effectiveMode({ parent: options.ceiling(), definition: mode }).mode : mode;
  };
  const rulesNow = (): RuleSet => ({
    ...rules,
    allow: [...rules.allow, ...granted, ...(options.teamRules?.() ?? [])],
  });
  /** The facts about the folder that this command needs. */
  const workspaceFor = async (subject: PermissionSubject, walls: CommandWalls | undefined): Promise<Workspace> => {
    if (subject.kind !== "command") return { worktree };
    const isReady = walls?.isReady === true;
    const place = { root, command: subject.command, env: options.childEnv, isOwn: worktree !== undefined, ...own };
    const runsGit = /\bgit\b/.test(subject.command);
    const isFree = changesFreely({ mode: modeNow(), ownWorktree: worktree !== undefined });
    const wantsFacts = isFree && (!isReady || runsGit);
    return {
      worktree,
      files: wantsFacts ? await readFileFacts(place) : undefined,
      gitPrograms: runsGit && !isReady ? await findGitPrograms(place) : undefined,
    };
  };
  return {
    roots,
    bases,
    mainTop: worktree?.mainTop,
    judgedPath: (input) => (typeof input === "object" && input !== null ? judged.get(input) : undefined),
    rules: rulesNow,
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
    isDenied: (path) => deniesReading(path, { rules: rules.deny, bases, home: options.childEnv["HOME"] }),
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
        disk: realDisk,
      });
      return decision.behavior !== "allow";
    },
    async decide(tool, input) {
      const cwd = options.currentCwd();
      const refused = tool.refuse?.(input, { cwd, roots, env: options.childEnv });
      if (refused !== undefined) return { behavior: "deny", rule: "agent definition", reason: refused };
      const subject = await resolveSubject(tool.subject(input), { cwd, env: options.childEnv });
      if (subject.kind === "path" && typeof input === "object" && input !== null) judged.set(input, subject.path);
      const { walls, refusal } = await judgeSandbox(subject, options.sandbox());
      if (refusal) return refusal;
      const within = tool.access === "read" ? [...roots, ...options.ownFolders()] : roots;
      const decision = authorize({
        tool,
        subject,
        title: tool.title(input),
        mode: modeNow(),
        rules: rulesNow(),
        roots: within,
        bases,
        cwd,
        walls,
        home: options.childEnv["HOME"],
        stateRoot,
        memory: options.memory,
        scratchpad: options.scratchpad,
        workspace: await workspaceFor(subject, walls),
        disk: realDisk,
      });
      if (decision.behavior === "allow") {
        if (tool.access === "read" && subject.kind === "path")
          return withCopy(decision, subject.path, { worktree, memory: options.memory });
        own.noteChanges(decision.changes);
        if (subject.kind === "path" && subject.change && !worktree) await own.noteWrite(subject.path);
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
