import type { Team } from "../../protocol/index.ts";
import { uuidFromId } from "./uuid-from-id.ts";

/** Theirs are UUIDs; a team that no session leads yet has one that follows from its name. */
export const leadSessionOf = ({ leadSessionId, leadAgentId }: Pick<Team, "leadSessionId" | "leadAgentId">): string =>
  uuidFromId(leadSessionId ?? leadAgentId);
