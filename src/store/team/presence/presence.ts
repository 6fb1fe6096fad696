import type { Member, MemberState, MemberStatus } from "../../../protocol/index.ts";

/** What members say of themselves, each about itself alone, and whether whoever said it is still there. */
export interface Presence {
  /**
   * This process speaks for the member until `close`. Renews its lease in the background and keeps no process alive.
   * Rejects with `team` while another process does, is alive and has a lease.
   */
  announce(name: string, state: MemberState, detail?: string): Promise<OwnPresence>;
  /** Undefined for who has never said anything. */
  look(name: string): Promise<MemberPresence | undefined>;
  /** Of each member, in their order: the record's word that one has ended is the last one. */
  statusOf(members: readonly Member[]): Promise<readonly MemberStatus[]>;
  /** Why a member is gone (dead, ended, or its lease is over), undefined while it is not known to be. */
  goneReason(name: string): Promise<string | undefined>;
}

export interface OwnPresence {
  /** Aborted when another process has taken the member over: this one was away for longer than its lease, and must stop. */
  readonly lost: AbortSignal;
  /** On disk when it resolves, in the order of the calls. Does nothing if nothing has changed. */
  set(state: MemberState, detail?: string): Promise<void>;
  /** No more renewals; the last word stays, and its lease runs out. Say `ended` first if that is so. */
  close(): Promise<void>;
}

export interface MemberPresence extends MemberStatus {
  /** Not renewed for longer than the lease, whatever its process looks like. */
  readonly expired: boolean;
  readonly pid: number;
}
