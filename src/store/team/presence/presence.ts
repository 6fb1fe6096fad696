import type { Member, MemberState, MemberStatus } from "../../../protocol/index.ts";

/** The presence of members: each publishes its own state, and its process may or may not still be alive. */
export interface Presence {
  /**
   * This process acts for the member until `close`. Renews the lease in the background and keeps no process alive.
   * Rejects with `team` while another live process with a lease does so.
   */
  announce(name: string, state: MemberState, detail?: string): Promise<OwnPresence>;
  /** Undefined for a member that has never published anything. */
  look(name: string): Promise<MemberPresence | undefined>;
  /** Returns the status of each member, in order. If the record says that a member has ended, that is final. */
  statusOf(members: readonly Member[]): Promise<readonly MemberStatus[]>;
  /**
   * Returns why a member is gone (dead, ended, or its lease is over), or undefined while it is not known to be gone.
   */
  goneReason(name: string): Promise<string | undefined>;
}

export interface OwnPresence {
  /**
   * Aborts when another process has taken over the member: this process was away longer than its lease and must stop.
   */
  readonly lost: AbortSignal;
  /**
   * Resolves when the state is stored, in the order of the calls. Does nothing if nothing has changed. `since` is an ISO
   * time. Default: the time of the first call with this state.
   */
  set(state: MemberState, detail?: string, since?: string): Promise<void>;
  /** Stops renewals. The last state stays until its lease runs out. Publish `ended` first if that is the case. */
  close(): Promise<void>;
}

export interface MemberPresence extends MemberStatus {
  /** Not renewed for longer than the lease, even if its process looks alive. */
  readonly expired: boolean;
  readonly pid: number;
}
