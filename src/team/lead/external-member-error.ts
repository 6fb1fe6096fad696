import { TroupeError } from "../../protocol/index.ts";

/** Said to who wants a member back that Troupe does not run. */
export const externalMemberError = (name: string): TroupeError =>
  new TroupeError("team", `${name} is run by another program or a person, and comes back from there.`);
