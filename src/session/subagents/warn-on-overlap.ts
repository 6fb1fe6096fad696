import { realpathSync } from "node:fs";
import type { Agent } from "../../agent/index.ts";
import type { AgentId, Envelope } from "../../protocol/index.ts";
import { createFileOverlapMap } from "../../team/index.ts";

/** Warns agents that change the same files, their lead and the user. Never rejects. */
export function warnOnOverlap(ports: {
  readonly lead: Agent;
  readonly agentOf: (id: AgentId) => Agent | undefined;
}): (envelope: Envelope) => void {
  const map = createFileOverlapMap({ realPath });
  return (envelope) => {
    const overlap = map.observe(envelope);
    if (!overlap) return;
    const { file, agent, others, notices: tell } = overlap;
    const message = `${agent} changed ${file}, which ${others.join(", ")} changed at the same time`;
    // Ignored: if the log cannot be written, the agent's next record fails and reports it.
    const ignoreFailure = (saying: Promise<unknown>) => void saying.catch(() => undefined);
    ignoreFailure(ports.lead.record({ type: "notice.raised", level: "warning", code: "overlap", message }));
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
    // The file was deleted since. Only its path identifies it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}
