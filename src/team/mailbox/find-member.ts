import { nearestName, sameName } from "../../platform/index.ts";
import { type Member, TroupeError, teamUser } from "../../protocol/index.ts";

/** Finds a member by name or agent id. Throws `mail` if it does not exist or has ended. */
export function findMember(to: string, { team, members }: { team: string; members: readonly Member[] }): Member {
  const member = memberOf(to, members);
  if (member === undefined) throw unknownMember(to, { team, members });
  if (member.ended !== undefined) throw endedMemberError(member);
  return member;
}

/** The sender: a member that has not ended, or the user (undefined). */
export function findSender(
  from: string,
  { team, members }: { team: string; members: readonly Member[] },
): Member | undefined {
  return from === teamUser && memberOf(from, members) === undefined ? undefined : findMember(from, { team, members });
}

/** By name or agent id. The case counts only if it tells two members apart. */
export function memberOf(wanted: string, members: readonly Member[]): Member | undefined {
  for (const member of members) if (member.name === wanted) return member;
  const same = sameName(
    wanted,
    members.flatMap(({ name, agentId }) => [name, agentId]),
  );
  return members.find(({ name, agentId }) => name === same || agentId === same);
}

export function unknownMember(
  name: string,
  { team, members }: { team: string; members: readonly Member[] },
): TroupeError {
  const present = members.filter(({ ended }) => ended === undefined).map((member) => member.name);
  const nearest = nearestName(name, present);
  const meant = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const all =
    present.length === 0
      ? "The team has no running members."
      : `Members: ${present.slice(0, 50).join(", ")}${present.length > 50 ? ", …" : ""}.`;
  return new TroupeError("mail", `Team ${team} has no member ${JSON.stringify(name.slice(0, 100))}.${meant} ${all}`);
}

function endedMemberError({ name, ended }: Member): TroupeError {
  const endReason = ended?.detail === undefined ? ended?.reason : `${ended.reason}: ${ended.detail}`;
  return new TroupeError("mail", `${name} has ended (${endReason}, ${ended?.at}) and cannot send or receive mail.`);
}
