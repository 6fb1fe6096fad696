import type { Agent } from "../../agent/index.ts";
import type { Envelope } from "../../protocol/index.ts";

const code = "damage";

/**
 * Tells people what in the files of teams and task lists could not be read and counts for nothing: of each place once, also
 * over the lives of a session. Never throws.
 */
export function createDamageNotices(ports: {
  readonly agent: () => Pick<Agent, "record">;
  readonly replayed: readonly Pick<Envelope, "event">[];
}): (problems: readonly string[]) => void {
  const reported = new Set<string>();
  for (const { event } of ports.replayed)
    if (event.type === "notice.raised" && event.code === code) reported.add(event.message);
  return (problems) => {
    for (const message of problems) {
      if (reported.has(message)) continue;
      reported.add(message);
      const recording = ports.agent().record({ type: "notice.raised", level: "warning", code, message });
      // A log that cannot be written to is met by the agent's own next record, which tells.
      recording.catch(() => undefined);
    }
  };
}
