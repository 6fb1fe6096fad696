import { nearestName } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { quotedName } from "./record/team-names.ts";
import type { TeamSummary } from "./team-store.ts";

export function unknownTeamError(name: string, teams: readonly TeamSummary[]): TroupeError {
  const names = teams.map((team) => team.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const all = names.length === 0 ? "There are no teams." : `Teams: ${names.slice(0, 20).join(", ")}.`;
  return new TroupeError("team", `There is no team ${quotedName(name)}.${hint} ${all}`);
}

export const stillActiveError = (name: string, active: readonly string[]): TroupeError =>
  new TroupeError(
    "team",
    `Team ${name} has active members: ${active.join(", ")}. Shut them down first, or delete it with force.`,
  );
