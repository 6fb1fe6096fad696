import { TroupeError } from "../../protocol/index.ts";

/** The error for respawning an external member. */
export const externalMemberError = (name: string): TroupeError =>
  new TroupeError("team", `Cannot respawn ${name}: it is an external member. Its own program must rejoin the team.`);
