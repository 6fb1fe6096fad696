import type {
  BackendType,
  Envelope,
  Member,
  MemberStatus,
  PermissionMode,
  RequestId,
  Team,
} from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { PermissionResponder } from "../requests/permission-responder.ts";
import type { Mailbox, OutgoingMail } from "../mailbox/mailbox.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";
import type { StopAnswer } from "./request-shutdown.ts";

/** A team as its lead runs it: starts members, sends mail, watches and ends them. */
export interface LeadTeam extends TeammateControl {
  readonly name: string;
  readonly link: InboxConsumer;
  readonly tasks: StoredTeam["tasks"];
  readonly mailbox: Mailbox;
  /** Sends as the sender that the mail names. Waits while the disk is full. */
  send(mail: OutgoingMail): Promise<void>;
  /** The team as recorded. */
  current(): Team;
  members(): readonly Member[];
  statuses(): readonly MemberStatus[];
  plans(): PermissionResponder["plans"];
  answerPlan: PermissionResponder["answerPlan"];
  /** True while reports may still give the lead something to do. */
  readonly isSettling: boolean;
  /** Receives everything that the lead stores. */
  observe(envelope: Envelope): void;
  /**
   * Starts watching the members and restarts those that should run. Returns a message for each that could not start.
   */
  start(): Promise<readonly string[]>;
  /** Suspends the members. The team can be resumed. */
  close(): Promise<void>;
}

/** Starts, changes and ends members. */
export interface TeammateControl {
  /** Starts a new member. A repeated call returns the member it started. */
  spawn(request: TeammateRequest): Promise<SpawnedTeammate>;
  interrupt(name: string): Promise<void>;
  /** Asks a member to end, and ends it if it does not answer in time. `now` ends it without asking. */
  stop(
    name: string,
    options?: { readonly now?: boolean | undefined; readonly reason?: string | undefined },
  ): Promise<StopAnswer>;
  /** The end of a member that was asked to end and has not ended yet. */
  pendingEnd(name: string): { readonly requestId?: RequestId | undefined } | undefined;
  /** Starts a member again that is gone, from its log. */
  respawn(name: string): Promise<Member>;
  /** `*` means all members. */
  setMode(name: string, mode: Exclude<PermissionMode, "bubble">): Promise<void>;
  /** Members that work or have unread mail. */
  busyMembers(): readonly Member[];
}

export interface TeammateRequest extends MemberEntry {
  readonly description: string;
  readonly color?: Member["color"];
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  readonly backend?: BackendType | undefined;
  /** Only for the backend `remote`. */
  readonly worker?: Member["worker"];
}

/** The fields of the new member's record that its caller always sets. */
type MemberEntry = {
  readonly [K in
    | "name"
    | "prompt"
    | "agentType"
    | "model"
    | "mode"
    | "planModeRequired"
    | "cwd"
    | "sessionId"
    | "launch"
    | "startedBy"
    | "callId"]: NonNullable<Member[K]>;
};

export interface SpawnedTeammate {
  readonly member: Member;
  readonly isNew: boolean;
  readonly notices: readonly string[];
}
