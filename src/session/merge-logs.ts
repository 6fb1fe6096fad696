import type { StoredEnvelope } from "../protocol/index.ts";
import type { SessionReading } from "../store/index.ts";

/** Merges the logs of a session by time. The events of each agent keep their order. */
export function mergeLogs({ lead, agents }: SessionReading): StoredEnvelope[] {
  return [lead, ...agents.values()].flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}
