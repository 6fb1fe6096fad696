import type { TeamFacts, WorktreePlace } from "../agent/index.ts";
import {
  type AgentDefinition,
  type AgentPath,
  type PermissionMode,
  type SessionId,
  TroupeError,
} from "../protocol/index.ts";
import type { AgentSlots } from "../team/index.ts";
import type { RuleSet } from "../tool/index.ts";
import type { TeamPorts, TeamRole } from "./teams/team-role.ts";

/** A teammate, as its team describes it. */
export interface MemberContext {
  readonly team: string;
  readonly name: string;
  /** The session of the team's lead, if it has one. */
  readonly leadSession?: SessionId | undefined;
  readonly path: AgentPath;
  readonly agentType: string;
  /** The worktree, if the teammate has one. */
  readonly folder?: string | undefined;
  /** The folder that the lead's workers share. */
  readonly scratchpad?: string | undefined;
  readonly prompt: MemberPrompt;
  /** Variables for its commands: the ports of its worktree. */
  readonly env: Readonly<Record<string, string>>;
  /** The highest mode without asking. If a plan must be approved first, it applies after that. */
  readonly mode: PermissionMode;
  /** The current mode from the team's record. */
  readonly modeNow?: (() => PermissionMode) | undefined;
  readonly teamRules: () => RuleSet["allow"];
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}

/** The teammate that a session runs. */
export interface TeammateSession {
  readonly member: MemberContext;
  /** Connects the session to its team. Undefined for an agent that works alone on another machine. */
  readonly connect?: ((ports: TeamPorts) => TeamRole) | undefined;
  /** The limits on the agents that it may start, if they are shared with its team. */
  readonly slots?: AgentSlots | undefined;
}

/** The parts of a teammate's system prompt that its team decides. */
export interface MemberPrompt {
  /** Undefined for an agent that works alone on another machine. */
  readonly team?: TeamFacts | undefined;
  /** The worktree that was made for it. */
  readonly worktree?: WorktreePlace | undefined;
  readonly blocks: readonly string[];
}

/** Returns the definition of this type. Throws if it no longer exists. */
export function definitionOf(
  { name, agentType }: Pick<MemberContext, "name" | "agentType">,
  definitions: readonly AgentDefinition[],
): AgentDefinition {
  const found = definitions.find((definition) => definition.name === agentType);
  if (found) return found;
  throw new TroupeError("team", `Agent type ${agentType}, used by ${name}, no longer exists.`);
}
