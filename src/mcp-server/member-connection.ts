import type { Clock, CreateId } from "../platform/index.ts";
import { TroupeError } from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";
import { joinAsExternal, type ExternalMember, joinAsVoice } from "./external-member.ts";

/** The one member that a connection speaks for, once it has said who it is. */
export interface MemberConnection {
  readonly team: StoredTeam;
  /** The same name again is the same member; another one is refused. */
  register(name: string, about?: string): Promise<ExternalMember>;
  /** Throws a TroupeError that says what to do while nobody is there. */
  member(): ExternalMember;
  /** It may come back: its mail and its reservations wait, its tasks are given back. */
  leave(): Promise<void>;
}

export interface MemberConnectionOptions {
  readonly team: StoredTeam;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** Only the voice of a member whom Troupe runs. */
  readonly onlySpeaksFor?: boolean | undefined;
}

export function createMemberConnection({
  team,
  onlySpeaksFor = false,
  ...place
}: MemberConnectionOptions): MemberConnection {
  const joinTeam = onlySpeaksFor ? joinAsVoice : joinAsExternal;
  let registeredName: string | undefined;
  let joining: Promise<ExternalMember> | undefined;
  let joined: ExternalMember | undefined;
  /** Resolves when nothing is open any more of who was here before. */
  let previousLeft: Promise<void> = Promise.resolve();
  const forgetMember = (member: ExternalMember) => {
    registeredName = joining = joined = undefined;
    previousLeft = member.leave("rest");
    previousLeft.catch(() => undefined); // told to who comes back
  };
  return {
    team,
    register(name, about) {
      if (joined?.hasLeft()) forgetMember(joined);
      if (registeredName !== undefined && name !== registeredName && name !== joined?.name)
        throw new TroupeError(
          "team",
          `You are ${joined?.name ?? registeredName} in this team already: a connection is one member.`,
        );
      registeredName = name;
      joining ??= previousLeft
        .then(() => joinTeam(team, { ...place, name, about }))
        .then(
          (member) => (joined = member),
          (error: unknown) => {
            registeredName = joining = undefined;
            previousLeft = Promise.resolve();
            throw error;
          },
        );
      return joining;
    },
    member() {
      if (joined?.hasLeft())
        throw new TroupeError(
          "team",
          `You have ended in the team ${team.name}: there is nothing more to do. Who is wanted again comes back with Register, as ${joined.name}.`,
        );
      if (joined) return joined;
      throw new TroupeError("team", "You are not in the team yet: call Register with a name first.");
    },
    async leave() {
      const member = await joining?.catch(() => undefined);
      await member?.leave("rest");
    },
  };
}
