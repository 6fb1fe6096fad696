import { realpathSync } from "node:fs";
import type { Agent } from "../../agent/index.ts";
import type { AgentId, Envelope } from "../../protocol/index.ts";
import { createFileOverlapMap } from "../../team/index.ts";

/** Tells agents that get into each other's files, and the lead, and the user. Never rejects. */
export function warnOnOverlap(ports: {
  readonly lead: () => Agent;
  readonly agentOf: (id: AgentId) => Agent | undefined;
}): (envelope: Envelope) => void {
  const map = createFileOverlapMap({ realPath });
  return (envelope) => {
    const overlap = map.observe(envelope);
    if (!overlap) return;
    const { file, agent, others, notices: tell } = overlap;
    const message = `${agent} has changed ${file}, which ${others.join(", ")} has changed as well, at the same time`;
    // A log that cannot be written to is met by the agent's own next record, which tells.
    const ignoreFailure = (saying: Promise<unknown>) => void saying.catch(() => undefined);
    ignoreFailure(ports.lead().record({ type: "notice.raised", level: "warning", code: "overlap", message }));
    for (const { agent: id, text } of tell) {
      const to = ports.agentOf(id);
      if (to) ignoreFailure(to.admit("hook", [{ type: "text", text }]));
    }
  };
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    // Gone since it was written: its name is all there is to tell it by.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}
