import type { AllowedPath, Member, Reservation, Team } from "../../../protocol/index.ts";

/** The members of a team and its common settings. Any number of processes write it; members are never removed. */
export interface TeamRecord {
  /** Resolves with everything that was acknowledged before the call. */
  read(): Promise<Team>;
  /**
   * The state that this process knows. A file store reads the file; another store returns the last state it received.
   */
  current(): Team;
  /**
   * A name that is taken, or looks like one that is, gets a number: `tester-2`. A repeated call of the same agent joins
   * only once: it returns the first member, with `isNew` false.
   */
  join(member: NewMember): Promise<{ readonly member: Member; readonly isNew: boolean }>;
  /** Rejects with `team` for an unknown name. `ended: null` is for a member that is back. */
  change(name: string, patch: MemberPatch): Promise<Member>;
  end(name: string, ended: Omit<NonNullable<Member["ended"]>, "at">): Promise<Member>;
  changeTeam(patch: TeamPatch): Promise<Team>;
  allowPath(path: Omit<AllowedPath, "addedAt">): Promise<Team>;
  /**
   * Of two conflicting reservations the first wins, for all processes; the other call gets the holder. A repeated call
   * renews.
   */
  reserve(wanted: Omit<Reservation, "at">): Promise<ReservationAnswer>;
  /** Frees the given paths that the member holds, or all of them. */
  free(by: string, paths?: readonly string[]): Promise<Team>;
  /**
   * Returns the key that signs this member's mail or verifies its signature. Undefined if it is not available here:
   * another machine signs, or there is no key yet. Rejects with `team` for an unknown name.
   */
  keyOf(name: string, use: KeyUse): Promise<MemberKey | undefined>;
  /** With key pairs: returns the public key with which this machine signs, or would sign, for this member. */
  readonly offerKey?: ((name: string) => Promise<string>) | undefined;
  /** Only on the lead's machine: endorses the key with which a member on workers signs from now on. */
  readonly vouchFor?: ((name: string, publicKey: string) => Promise<void>) | undefined;
  /** Yields the team after each change from now on. Ends when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<Team>;
  problems(): readonly string[];
  close(): Promise<void>;
}

export type ReservationAnswer =
  | { readonly ok: true; readonly reservation: Reservation }
  | { readonly ok: false; readonly held: Reservation };

/** `sign` for a member without a key creates one and makes this machine its signer. */
export type KeyUse = "sign" | "check";

/** A secret shared by all processes with access to the team (HMAC-SHA256), or one half of a key pair (Ed25519). */
export type MemberKey =
  | { readonly type: "secret"; readonly secret: Uint8Array }
  /** PKCS 8 and SPKI, as DER. */
  | { readonly type: "private"; readonly der: Uint8Array }
  | { readonly type: "public"; readonly der: Uint8Array; readonly former?: readonly Uint8Array[] };

/** `name` is the wanted name. Colors are assigned in turn by default. */
export type NewMember = Omit<Member, "agentId" | "joinedAt" | "ended" | "tmuxPaneId" | "subscriptions"> & {
  readonly tmuxPaneId?: string;
  readonly subscriptions?: readonly string[];
};

export type MemberPatch = Partial<Omit<Member, "agentId" | "name" | "joinedAt" | "ended">> & { readonly ended?: null };

export type TeamPatch = Partial<Pick<Team, "description" | "leadSessionId" | "hiddenPaneIds">>;
