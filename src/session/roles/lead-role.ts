import type { TeamPorts, TeamRole } from "../teams/team-role.ts";
import type { Role } from "./role.ts";
import { createSoloRole, type SoloRoleOptions } from "./solo-role.ts";

/** A session that leads teams, or may create one. */
export const createLeadRole = (connect: (ports: TeamPorts) => TeamRole, options: SoloRoleOptions): Role => ({
  ...createSoloRole(options),
  connect,
});
