import { teamLead, type Member } from "../../protocol/index.ts";
import type { MemberEnd } from "../teammate/teammate-runner.ts";
import type { Backend, RunningMember } from "./backend.ts";

export interface InProcessRun {
  readonly ended: Promise<string | undefined>;
  stop(end: MemberEnd, detail?: string): Promise<void>;
}

/** Runs members in the lead's process. They end with it and share only the team's files. */
export function createInProcessBackend(start: (member: Member) => Promise<InProcessRun>): Backend {
  const runningHere = new Map<string, RunningMember>();
  return {
    type: "in-process",
    async start(member) {
      const started = await start(member);
      const running: RunningMember = {
        ended: started.ended.finally(() => runningHere.delete(member.agentId)),
        // The caller records why the member ended.
        kill: () => started.stop("rest", `ended by ${teamLead}`),
      };
      runningHere.set(member.agentId, running);
      return running;
    },
    attach: async (member) => runningHere.get(member.agentId),
    close: async () => undefined,
  };
}
