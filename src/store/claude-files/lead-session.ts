import type { Team } from "../../protocol/index.ts";
import { uuidFromId } from "./uuid-from-id.ts";

/** Returns the lead's session as a UUID. A team without a session gets one derived from its name. */
export const leadSessionOf = ({ leadSessionId, leadAgentId }: Pick<Team, "leadSessionId" | "leadAgentId">): string =>
  uuidFromId(leadSessionId ?? leadAgentId);
