import type { StoredEnvelope } from "../protocol/index.ts";
import type { SessionReading } from "../store/index.ts";

/** The logs of a session as one: by time, and each agent's in its own order. */
export function mergeLogs({ lead, agents }: SessionReading): StoredEnvelope[] {
  return [lead, ...agents.values()].flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
