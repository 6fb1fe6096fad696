import * as z from "zod";
import { AgentColor } from "./agent-definition.ts";
import { SessionId } from "./ids.ts";
import { PermissionMode } from "./permission.ts";
import { TeammateOptions } from "./session-options.ts";

/** The names of a team's lead and of the person. No other member can have one of them or a similar one. */
export const teamLead = "team-lead";
export const teamUser = "user";

export const MemberState = z.enum(["starting", "working", "waiting", "idle", "draining", "ended"]);
export type MemberState = z.infer<typeof MemberState>;

export const BackendType = z.enum(["in-process", "tmux", "remote"]);
export type BackendType = z.infer<typeof BackendType>;

/** A pane is only touched if all of these still match. */
export const TmuxPane = z.object({
  socket: z.string(),
  serverPid: z.number().int().positive(),
  paneId: z.string(),
  mark: z.string(),
});
export type TmuxPane = z.infer<typeof TmuxPane>;

/** The lead's start options that also apply to its members, on any machine. */
export const LaunchFlags = TeammateOptions.extend({
  /** The file in which all of them record what they hold and spend, if there is a budget. */
  ledger: z.string().optional(),
  /** The file in which all of them register their agents. */
  places: z.string().optional(),
  /** The folder that a coordinator's workers share, if a coordinator started it. */
  scratchpad: z.string().optional(),
  /** The project configuration in its folder may take effect. */
  trusted: z.boolean().optional(),
});
export type LaunchFlags = z.infer<typeof LaunchFlags>;

/** A member in the team record. An ended member stays in it. */
export const Member = z.object({
  /** `name@team`. */
  agentId: z.string(),
  name: z.string(),
  agentType: z.string().optional(),
  model: z.string().optional(),
  prompt: z.string().optional(),
  color: AgentColor.optional(),
  planModeRequired: z.boolean().optional(),
  joinedAt: z.string(),
  tmuxPaneId: z.string(),
  pane: TmuxPane.optional(),
  cwd: z.string(),
  worktreePath: z.string().optional(),
  worktreeBranch: z.string().optional(),
  sessionId: SessionId.optional(),
  subscriptions: z.array(z.string()),
  backendType: BackendType,
  mode: PermissionMode.optional(),
  launch: LaunchFlags.optional(),
  /**
   * Set if a worker on another machine runs it: the labels it needs, its branch here, its base commit and its last job.
   * A member of kind `remote` without this is external.
   */
  worker: z
    .object({ labels: z.array(z.string()), branch: z.string(), base: z.string(), job: z.string().optional() })
    .optional(),
  /** The agent that started it, and its call. A repeated call starts no second member. */
  startedBy: z.string().optional(),
  callId: z.string().optional(),
  /** The reason why it ended. */
  ended: z
    .object({ at: z.string(), reason: z.enum(["shutdown", "killed", "failed", "lost"]), detail: z.string().optional() })
    .optional(),
});
export type Member = z.infer<typeof Member>;

/** True for a member that another program or a person acts for. Troupe neither starts nor kills it. */
export const isExternal = ({ backendType, worker }: Pick<Member, "backendType" | "worker">): boolean =>
  backendType === "remote" && worker === undefined;

/** A path that every member may edit without asking. */
export const AllowedPath = z.object({ path: z.string(), tool: z.string(), addedBy: z.string(), addedAt: z.string() });
export type AllowedPath = z.infer<typeof AllowedPath>;

/** A file, or with a trailing slash a folder, that a member works on. Relative to the team's folder, or absolute. */
export const Reservation = z.object({
  path: z.string().min(1),
  by: z.string(),
  /** `exclusive`: no other member has it at the same time. `shared`: others may share it too. */
  mode: z.enum(["exclusive", "shared"]),
  why: z.string().optional(),
  at: z.string(),
  until: z.string(),
});
export type Reservation = z.infer<typeof Reservation>;

/** A team as every process folds it. It contains no secrets. */
export const Team = z.object({
  name: z.string(),
  description: z.string().optional(),
  createdAt: z.string(),
  leadAgentId: z.string(),
  leadSessionId: SessionId.optional(),
  hiddenPaneIds: z.array(z.string()),
  teamAllowedPaths: z.array(AllowedPath),
  members: z.array(Member),
  /** Current and past reservations. Ended members and expired reservations hold nothing. */
  reservations: z.array(Reservation).optional(),
  /** For teams on more than one machine: the key that verifies each member's signatures, by name (SPKI, base64). */
  publicKeys: z.record(z.string(), z.string()).optional(),
  /** For members on workers: keys of earlier workers. Mail signed with them still counts as the member's. */
  formerKeys: z.record(z.string(), z.array(z.string())).optional(),
});
export type Team = z.infer<typeof Team>;

/** The current knowledge about a member: the state it published, and whether its process is still alive. */
export const MemberStatus = z.object({
  name: z.string(),
  state: MemberState,
  /** Its activity, the thing it waits for, or the reason for its end. */
  detail: z.string().optional(),
  /** When the state began. For a member that waits for background jobs: when the oldest of them started. */
  since: z.string(),
  alive: z.enum(["alive", "dead", "unknown"]),
});
export type MemberStatus = z.infer<typeof MemberStatus>;

const jobWait = "waits for background ";

/** The detail of a member that has ended its turn and waits for its background jobs, such as `command npm test`. */
export const jobWaitDetail = (jobs: readonly string[]): string => `${jobWait}${jobs.join(", ")}`;

/** The detail of a member that waits for its background jobs. It is busy, but its model does not answer. */
export const jobWaitOf = ({ state, detail }: Pick<MemberStatus, "state" | "detail">): string | undefined =>
  state === "working" && detail?.startsWith(jobWait) ? detail : undefined;
