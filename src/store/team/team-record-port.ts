import type { AllowedPath, Member, Team } from "../../protocol/index.ts";

/** Who is in a team, and what holds for all of it. Any number of processes write it; nobody is ever removed from it. */
export interface TeamRecord {
  /** With everything that anybody has acknowledged before the call. */
  read(): Promise<Team>;
  /** As this process knows it now. A store on files looks at the file; another gives what it was told last. */
  current(): Team;
  /**
   * A name that is taken, or looks like one that is, gets a number: `tester-2`. The same call of the same agent joins
   * once: the second time it gets the member it made, with `isNew` false.
   */
  join(member: NewMember): Promise<{ readonly member: Member; readonly isNew: boolean }>;
  /** Rejects with `team` for a name that nobody has. `ended: null` is for one who is back. */
  change(name: string, patch: MemberPatch): Promise<Member>;
  end(name: string, ended: Omit<NonNullable<Member["ended"]>, "at">): Promise<Member>;
  changeTeam(patch: TeamPatch): Promise<Team>;
  allowPath(path: Omit<AllowedPath, "addedAt">): Promise<Team>;
  /** The secret that signs what this member sends. Rejects with `team` for a name that nobody has. */
  keyOf(name: string): Promise<Uint8Array>;
  /** The team after each change from now on, pushed. Ends when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Team>;
  problems(): readonly string[];
  close(): Promise<void>;
}

/** `name` is what was asked for. Colours are given out in turn where none is asked for. */
export type NewMember = Omit<Member, "agentId" | "joinedAt" | "ended" | "tmuxPaneId" | "subscriptions"> & {
  readonly tmuxPaneId?: string;
  readonly subscriptions?: readonly string[];
};

export type MemberPatch = Partial<Omit<Member, "agentId" | "name" | "joinedAt" | "ended">> & { readonly ended?: null };

export type TeamPatch = Partial<Pick<Team, "description" | "leadSessionId" | "hiddenPaneIds">>;
