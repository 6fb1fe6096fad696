import { realpathSync } from "node:fs";
import { effectiveMode } from "../../agent/definitions/index.ts";
import type { PermissionPorts } from "../../agent/index.ts";
import { type PermissionMode, TroupeError } from "../../protocol/index.ts";
import {
  authorize,
  type CommandSandbox,
  judgeSandbox,
  parseRule,
  resolveSubject,
  type RuleSet,
  type Tool,
} from "../../tool/index.ts";
import { realPathSync } from "../../platform/index.ts";
import { saveRules } from "./save-rule.ts";
import type { SessionDependencies } from "../session-dependencies.ts";

export interface Policy {
  readonly decide: PermissionPorts["decide"];
  readonly remember: PermissionPorts["remember"];
  readonly roots: readonly string[];
  /** The real path that a call with this input was last judged by, if it speaks of one. */
  judgedPath(input: unknown): string | undefined;
  /** Whether a rule may speak of a call: not only where it surely does, but wherever that cannot be told. */
  mayMatch(rule: string, tool: Tool, input: unknown): Promise<boolean>;
  setMode(mode: PermissionMode): void;
  /** Allows what these rules say as well, until `endGrants`. Gives back what is wrong with those that are none. */
  grant(rules: readonly string[]): readonly string[];
  endGrants(): void;
}

export interface PolicyOptions
  extends Pick<SessionDependencies, "cwd" | "permissionMode" | "rules" | "childEnv" | "localSettings"> {
  /** The folders the agent may work in, fixed by us and never by what a model says; the first is its own. */
  readonly roots: readonly string[];
  /** The mode of the agent that started this one, now: it is never exceeded. */
  readonly ceiling?: (() => PermissionMode) | undefined;
  /** Where the agent is now. */
  readonly currentCwd: () => string;
  /** Folders of the session's own that the agent may read: what was too large for it is kept there. */
  readonly ownFolders: () => readonly string[];
  /** What the mode `bubble` means at this moment: that of the agent it is a fork of. */
  readonly bubblesTo?: (() => PermissionMode) | undefined;
  /** The folder of the agent's own notes, real and absolute. */
  readonly memory?: string | undefined;
  /** The folder that the agents of the session share, real and absolute. */
  readonly scratchpad?: string | undefined;
  /** Rules that hold for everybody in its team, at this moment. */
  readonly teamRules?: (() => RuleSet["allow"]) | undefined;
  /** Where commands run; asked at the first call. */
  readonly sandbox: () => CommandSandbox | undefined;
}

/** The rules and the mode in force now: what the settings say, and what was answered since. */
export function createPolicy(options: PolicyOptions): Policy {
  const folder = realpathSync(options.cwd);
  const roots = options.roots.map((path) => realpathSync(path));
  const bases = [...new Set([folder, ...roots.slice(0, 1)])];
  const stateHome = options.childEnv["TROUPE_HOME"];
  const stateRoot = stateHome ? realPathSync(stateHome, folder) : undefined;
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
    setMode: (next) => {
      mode = next;
    },
    grant(texts) {
      const problems: string[] = [];
      for (const text of texts) {
        try {
          granted = [...granted, parseRule(text)];
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
      return authorize({
        tool,
        subject,
        title: tool.title(input),
        mode: modeNow(),
        rules: { ...rules, allow: [...rules.allow, ...granted, ...(options.teamRules?.() ?? [])] },
        roots: within,
        bases,
        cwd,
        sandboxed,
        home: options.childEnv["HOME"],
        stateRoot,
        memory: options.memory,
        scratchpad: options.scratchpad,
        realPath: realPathSync,
      });
    },
    async remember(answer, suggestions) {
      if (answer.behavior !== "allow" || answer.scope === "once") return;
      if (answer.scope === "always") await saveRules(options.localSettings, suggestions);
      rules = { ...rules, allow: [...rules.allow, ...suggestions.map((text) => parseRule(text))] };
    },
  };
}
