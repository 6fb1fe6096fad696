import {
  type Agent,
  type Conversation,
  isDiskFull,
  type LeftWorktree,
  type PermissionQuestion,
} from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import {
  type BackendType,
  type Envelope,
  type Member,
  type MemberStatus,
  type PermissionAnswer,
  type PermissionMode,
  teamLead,
  TroupeError,
  type TeamSettings,
} from "../../protocol/index.ts";
import type { OwnPresence, StoredTeam } from "../../store/index.ts";
import type { Backend } from "../backend/backend.ts";
import { sendFailureReason } from "../mailbox/mail-error.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { SpawnRequest } from "../requests/spawn-requests.ts";
import { withDiskFullRetry } from "../storage/disk-full-retry-team.ts";
import { type RetryContext, retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";
import { createTeamMembers, type TeamMembers } from "./team-members.ts";

export interface LeadTeamOptions {
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly lead: Agent;
  readonly conversation: Pick<Conversation, "waiting" | "waitingParts" | "hasReason">;
  readonly permissions: LeadPermissions;
  readonly backends: MemberBackends;
  readonly worktrees: MemberWorktrees;
  /** Archives a member's report when a newer one replaces it. Returns the path of the file. */
  readonly archiveReport?: ((member: string, text: string) => Promise<string>) | undefined;
  readonly limits: LeadLimits;
  readonly onStatus: (status: MemberStatus, member: Member) => void;
  /** Called repeatedly with the problems in reading the team's files. */
  readonly onProblems?: ((problems: readonly string[]) => void) | undefined;
  /** Starts a teammate for a member. Undefined if members cannot start teammates. */
  readonly spawnForMember?: ((member: Member, request: SpawnRequest) => Promise<string>) | undefined;
  /** The stored events of the lead's previous runs. */
  readonly replayed: readonly (Pick<Envelope, "event"> & Partial<Pick<Envelope, "at">>)[];
  readonly clock: Clock;
  readonly createId: CreateId;
}

export interface LeadPermissions {
  /** Asks the user that answers the lead's own questions. Undefined when no user is connected. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  readonly plansBy: "lead" | "user";
  /** The lead's current permission mode. */
  readonly mode: () => PermissionMode;
  /** The wider mode of a member that follows a lead resumed in a wider mode. Undefined if its mode stays. */
  readonly followedBy?: ((member: Member) => PermissionMode | undefined) | undefined;
}

export interface MemberBackends {
  /** Rejects with a TroupeError if the backend is not available here. */
  readonly open: (type: BackendType) => Promise<Backend>;
  /** The backend for members without one, and a notice about it for the lead. */
  readonly choose: () => Promise<{ readonly type: BackendType; readonly notice?: string | undefined }>;
}

export interface MemberWorktrees {
  /** Cleans up after a member that was ended without its cooperation. Returns notices for the user. */
  readonly cleanUp: (member: Member) => Promise<readonly string[]>;
  /** The work left in a member's worktree. Undefined if there is none. */
  readonly leftBy: (member: Member) => Promise<LeftWorktree | undefined>;
}

/** Each limit has a default, but the time for a shutdown: other processes must know that too. */
export interface LeadLimits extends Pick<TeamSettings, "silentMs" | "maxWakes" | "gatherMs"> {
  /** How long a member may take to answer a shutdown request. */
  readonly shutdownMs: number;
  /** How long a member may take to start. */
  readonly startMs?: number | undefined;
}

/** The objects that all parts of a team's lead use. */
export interface LeadContext {
  /** Its writes wait while the disk is full. */
  readonly team: StoredTeam;
  readonly members: TeamMembers;
  readonly presence: OwnPresence;
  /** Aborts when the team is closed. */
  readonly closing: AbortSignal;
  readonly retry: RetryContext;
  /** For mail, which is also sent while the team closes. */
  readonly sendRetry: RetryContext;
  readonly fail: (error: unknown) => void;
  readonly warn: (message: string) => Promise<void>;
  readonly warnNotDelivered: (name: string) => (error: unknown) => Promise<void>;
  publishState(state: MemberStatus["state"]): void;
  /** `sending`: from now on mail does not wait for disk space. */
  close(what: "work" | "sending"): void;
}

export async function openLeadContext(options: LeadTeamOptions): Promise<LeadContext> {
  const { lead, clock } = options;
  const closing = new AbortController();
  const sending = new AbortController();
  const retry = { clock, signal: closing.signal };
  const team = withDiskFullRetry(options.team, retry);
  const presence = await team.presence.announce(teamLead, "idle");

  /** Ignore disk-full errors while closing: close() reports them. */
  const fail = (error: unknown) => {
    if (!closing.signal.aborted || !isDiskFull(error)) void lead.fail(error);
  };
  const warn = (message: string) => lead.record({ type: "notice.raised", level: "warning", code: "member", message });
  presence.lost.addEventListener("abort", () => {
    if (!closing.signal.aborted)
      fail(new TroupeError("team", `Another process leads the team ${team.name} now. This process must stop.`));
  });
  return {
    team,
    members: createTeamMembers(team),
    presence,
    closing: closing.signal,
    retry,
    sendRetry: { clock, signal: sending.signal },
    fail,
    warn,
    warnNotDelivered: (name) => (error) => warn(`cannot notify ${name}: ${sendFailureReason(error)}`),
    publishState: (state) => void retryWhileDiskFull(() => presence.set(state), retry).catch(fail),
    close: (what) => (what === "work" ? closing : sending).abort(new DOMException("the team is closed", "AbortError")),
  };
}
