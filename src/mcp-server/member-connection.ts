import type { Clock, CreateId } from "../platform/index.ts";
import { TroupeError } from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";
import { joinAsExternal, type ExternalMember, joinAsVoice } from "./external-member.ts";

/** The one member that a connection acts for, after it registered. */
export interface MemberConnection {
  readonly team: StoredTeam;
  /** Returns the same member for the same name. Rejects another name. */
  register(name: string, about?: string): Promise<ExternalMember>;
  /** Throws a TroupeError that tells what to do if no member is registered. */
  member(): ExternalMember;
  /** Leaves the team for now. Its mail and reservations are kept, its tasks are released. */
  leave(): Promise<void>;
}

export interface MemberConnectionOptions {
  readonly team: StoredTeam;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** Acts for a member that Troupe runs. */
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
  /** Resolves when the previous member is closed. */
  let previousLeft: Promise<void> = Promise.resolve();
  const forgetMember = (member: ExternalMember) => {
    registeredName = joining = joined = undefined;
    previousLeft = member.leave("rest");
    previousLeft.catch(() => undefined); // the next registration receives the error
  };
  return {
    team,
    register(name, about) {
      if (joined?.hasLeft()) forgetMember(joined);
      if (registeredName !== undefined && name !== registeredName && name !== joined?.name)
        throw new TroupeError(
          "team",
          `You are already ${joined?.name ?? registeredName} in this team. One connection can be only one member.`,
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
          `You have ended in the team ${team.name}. There is nothing more to do. To come back, call Register with the name ${joined.name}.`,
        );
      if (joined) return joined;
      throw new TroupeError("team", "You are not in the team yet. Call Register with a name first.");
    },
    async leave() {
      const member = await joining?.catch(() => undefined);
      await member?.leave("rest");
    },
  };
}
