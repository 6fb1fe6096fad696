import type {
  BackendType,
  Envelope,
  LaunchFlags,
  Member,
  MemberStatus,
  PermissionMode,
  RequestId,
  SessionId,
  Team,
} from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { PermissionResponder } from "../requests/permission-responder.ts";
import type { Mailbox, OutgoingMail } from "../mailbox/mailbox.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";
import type { StopAnswer } from "./request-shutdown.ts";

/** A team as its lead drives it: starts members, speaks with them, looks after them, ends them. */
export interface LeadTeam {
  readonly name: string;
  readonly link: InboxConsumer;
  readonly tasks: StoredTeam["tasks"];
  readonly mailbox: Mailbox;
  /** Sends it, as whomever it names; waits while the disk is full. */
  send(mail: OutgoingMail): Promise<void>;
  /** As its record says. */
  current(): Team;
  members(): readonly Member[];
  statuses(): readonly MemberStatus[];
  plans(): PermissionResponder["plans"];
  answerPlan: PermissionResponder["answerPlan"];
  /** Starts a new member; the same call again gives the one it has started. */
  spawn(request: TeammateRequest): Promise<SpawnedTeammate>;
  interrupt(name: string): Promise<void>;
  /** Asks a member to end, and ends it when it does not answer in time; `now`: does not ask. */
  stop(
    name: string,
    options?: { readonly now?: boolean | undefined; readonly reason?: string | undefined },
  ): Promise<StopAnswer>;
  openStopRequest(name: string): RequestId | undefined;
  /** Starts one that is gone again, from where it was. */
  respawn(name: string): Promise<Member>;
  /** `*` is everybody. */
  setMode(name: string, mode: Exclude<PermissionMode, "bubble">): Promise<void>;
  /** The user has said something to this member; `*` is everybody. */
  expectReport(name: string): void;
  /** Members at work, or with something to hear. */
  busyMembers(): readonly Member[];
  /** Whether what they have reported may still give the lead something to do. */
  readonly isSettling: boolean;
  /** To be told everything that the lead stores. */
  observe(envelope: Envelope): void;
  /** Looks after the members from here on, and brings those back that should be there. Gives what could not be. */
  start(): Promise<readonly string[]>;
  /** Members rest; the team can be taken up again. */
  close(): Promise<void>;
}

export interface TeammateRequest {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly color?: Member["color"];
  readonly planModeRequired: boolean;
  readonly cwd: string;
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  readonly backend?: BackendType | undefined;
  /** With the backend `remote`. */
  readonly worker?: Member["worker"];
  readonly sessionId: SessionId;
  readonly launch: LaunchFlags;
  readonly startedBy: string;
  readonly callId: string;
}

export interface SpawnedTeammate {
  readonly member: Member;
  readonly isNew: boolean;
  readonly notices: readonly string[];
}
