import type { Agent } from "../../agent/index.ts";
import type { Envelope } from "../../protocol/index.ts";

const code = "damage";

/**
 * Records notices for damaged entries in the files of teams and task lists, which are ignored. Each notice is recorded
 * only once, also across resumes. Never throws.
 */
export function createDamageNotices(ports: {
  readonly agent: Pick<Agent, "record">;
  readonly replayed: readonly Pick<Envelope, "event">[];
}): (problems: readonly string[]) => void {
  const reported = new Set<string>();
  for (const { event } of ports.replayed)
    if (event.type === "notice.raised" && event.code === code) reported.add(event.message);
  return (problems) => {
    for (const message of problems) {
      if (reported.has(message)) continue;
      reported.add(message);
      const recording = ports.agent.record({ type: "notice.raised", level: "warning", code, message });
      // Ignored: if the log cannot be written, the agent's next record fails and reports it.
      recording.catch(() => undefined);
    }
  };
}
