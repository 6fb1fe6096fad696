import type { SessionId } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentRuntimeOptions } from "../agent-runtime/agent-runtime.ts";
import type { LeadNow } from "../agent-types/agent-prompts.ts";
import type { OpenedHooks } from "../hooks/open-hooks.ts";
import type { ElicitPorts } from "../mcp/elicitation.ts";
import type { Policy } from "../permissions/permission-policy.ts";
import type { Coordinator } from "../teams/coordinator-mode.ts";
import type { TeamPorts, TeamRole } from "../teams/team-role.ts";

/** The purpose of a session: it works alone, leads teams, coordinates workers, or is a teammate. */
export interface Role {
  readonly agent: RoleAgent;
  /** Set if its agent delegates all work. */
  readonly coordinator: Coordinator | undefined;
  /** The folder that its agents share. */
  readonly scratchpad: string | undefined;
  /** True if its agents may start copies of themselves. */
  readonly forks: boolean;
  /** The session of its team's lead, for a teammate. */
  readonly leadSession: SessionId | undefined;
  /** Warnings for the user about its rules. */
  readonly notices: readonly string[];
  /** Hooks that replace the session's: they include those of its agent's definition. */
  readonly openHooks: OpenedHooks["create"] | undefined;
  /** Connects the session to its teams, before its agent exists. */
  connect(ports: TeamPorts): TeamRole;
  /** Adds the tools of its agent's definition to those of the session. */
  pool(tools: readonly Tool[]): readonly Tool[];
  /** The tools of its agent, from the pool that also has the tools of teams. */
  selectTools(pool: () => readonly Tool[], team: TeamRole): () => readonly Tool[];
  /** Awaited before each turn of its agent. */
  ready(signal: AbortSignal): Promise<void>;
  /** Loads the skills and notes of its agent. Returns notices for the user. */
  load(policy: Policy, tools: () => readonly Tool[]): Promise<readonly string[]>;
  /** The system prompt of its agent. `stored` is the one of earlier runs. Call it after `load`. */
  system(stored: readonly string[], now: Omit<LeadNow, "workers">): Promise<readonly string[]>;
  attach(ports: ElicitPorts): void;
  close(): Promise<void>;
}

/** The session's own agent. */
export interface RoleAgent
  extends Pick<
    AgentRuntimeOptions,
    "path" | "type" | "cwd" | "env" | "permissionMode" | "maxTurns" | "standing" | "memory" | "teamRules" | "afterPlan"
  > {
  /** Asks if sandboxed commands may connect to a host that is not listed. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}
