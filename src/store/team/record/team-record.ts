import type { AllowedPath, Member, Reservation, Team } from "../../../protocol/index.ts";

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
  /** Of two who want the same the first one gets it, for everybody; the other is told who has it. A second time it is renewed. */
  reserve(wanted: Omit<Reservation, "at">): Promise<ReservationAnswer>;
  /** Gives back what it holds of these paths, or everything. */
  free(by: string, paths?: readonly string[]): Promise<Team>;
  /**
   * What signs what this member sends, or shows that it was it who signed. Undefined if it is not to be had here: who
   * signs does so on another machine, or nobody has yet. Rejects with `team` for a name that nobody has.
   */
  keyOf(name: string, use: KeyUse): Promise<MemberKey | undefined>;
  /** Where keys are in pairs: the half for everybody of what this machine signs with, or would sign with, for this member. */
  readonly offerKey?: ((name: string) => Promise<string>) | undefined;
  /** By the lead's machine alone: this is what that member, which workers run, signs with from now on. */
  readonly vouchFor?: ((name: string, publicKey: string) => Promise<void>) | undefined;
  /** The team after each change from now on, pushed. Ends when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Team>;
  problems(): readonly string[];
  close(): Promise<void>;
}

export type ReservationAnswer =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly held: Reservation };

/** To `sign` for a member whose key nobody has makes one, and makes this machine the one that signs for it. */
export type KeyUse = "sign" | "check";

/** One secret that all who may look at the team share (HMAC-SHA256), or a pair of which others have one half (Ed25519). */
export type MemberKey =
  | { readonly type: "secret"; readonly secret: Uint8Array }
  /** PKCS 8 and SPKI, as DER. */
  | { readonly type: "private"; readonly der: Uint8Array }
  | { readonly type: "public"; readonly der: Uint8Array; readonly former?: readonly Uint8Array[] };

/** `name` is what was asked for. Colours are given out in turn where none is asked for. */
export type NewMember = Omit<Member, "agentId" | "joinedAt" | "ended" | "tmuxPaneId" | "subscriptions"> & {
  readonly tmuxPaneId?: string;
  readonly subscriptions?: readonly string[];
};

export type MemberPatch = Partial<Omit<Member, "agentId" | "name" | "joinedAt" | "ended">> & { readonly ended?: null };

export type TeamPatch = Partial<Pick<Team, "description" | "leadSessionId" | "hiddenPaneIds">>;
