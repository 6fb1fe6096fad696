import { conflictTask, refusedCommand, type RefusedCommand } from "../../agent/index.ts";
import { type AgentPath, leadPath } from "../../protocol/index.ts";
import {
  type Conflict,
  conflictHunks,
  type LandToolPorts,
  subagentName,
  type TeammateStarter,
  type WorktreeEngine,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { SessionLog } from "../session-context.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";
import { askConflictAgent } from "./ask-conflict-agent.ts";
import type { DelegatedWork } from "./run-delegated-task.ts";
import type { SessionSubagents } from "./subagents.ts";

export interface SessionLandPorts extends Pick<LandToolPorts, "place">, Pick<SessionSubagents, "delegate"> {
  readonly settings: LandToolPorts["settings"];
  readonly worktrees: WorktreeEngine;
  readonly log: Pick<SessionLog, "readAgents">;
  readonly leadTools: () => readonly Tool[];
  readonly teammates: TeammateStarter | undefined;
  readonly runtime: AgentRuntime;
}

/**
 * The Land tool, for the lead of a session only. A new agent of the session resolves conflicts, in the temporary worktree
 * only.
 */
export function landTools(path: AgentPath, ports: SessionLandPorts): readonly Tool[] {
  if (path !== leadPath) return [];
  const tool = ports.worktrees.landTool({
    place: ports.place,
    settings: ports.settings,
    ownerId: () => ports.runtime.id,
    refuseCheck: (command) => refusalOf({ command }, ports),
    refuseCommand: (command) => refusalOf({ command }, ports),
    branchOf: (name) => branchOf(name.toLowerCase(), ports),
    worksHere: (name) => worksHere(name.toLowerCase(), ports),
    resolveConflict: async (conflict, signal) =>
      (await askConflictAgent(ports.delegate, conflict, await conflictWork(conflict, signal))).resolution,
  });
  return [tool];
}

async function refusalOf(
  input: { readonly command: string },
  { runtime, leadTools }: SessionLandPorts,
): Promise<RefusedCommand | undefined> {
  const bash = leadTools().find(({ name }) => name === "Bash");
  if (!bash) return { why: "you have no Bash tool", allowedWith: undefined };
  return refusedCommand(await runtime.policy.decide(bash, input));
}

/** True if the last agent of this name works in the lead's own folder: a teammate, or a subagent of any run. */
async function worksHere(name: string, { place, log, teammates }: SessionLandPorts): Promise<boolean> {
  const member = memberOf(name, teammates);
  if (member) return member.cwd === place.cwd && member.worktreePath === undefined && member.worker === undefined;
  const last = await lastSpawned(name, log);
  return last?.cwd === place.cwd && last.worktree === undefined && last.remote === undefined;
}

/** The branch of the last agent of this name. A renamed agent has a branch with the name that it was asked for. */
async function branchOf(name: string, { log, teammates }: SessionLandPorts): Promise<string | undefined> {
  const member = memberOf(name, teammates);
  if (member) return member.worker?.branch ?? member.worktreeBranch;
  return (await lastSpawned(name, log))?.worktree?.branch;
}

const memberOf = (name: string, teammates: TeammateStarter | undefined) =>
  teammates?.members?.().findLast((each) => each.name.toLowerCase() === name);

async function lastSpawned(name: string, log: SessionLandPorts["log"]) {
  const spawned = [...(await log.readAgents())].flatMap(([id, envelopes]) =>
    envelopes.flatMap(({ event }) =>
      event.type === "agent.spawned" && subagentName(id, event)?.toLowerCase() === name ? [event] : [],
    ),
  );
  return spawned.at(-1);
}

const conflictWork = async (conflict: Conflict, signal: AbortSignal | undefined): Promise<DelegatedWork> => ({
  who: { type: "general-purpose" },
  description: `resolve the conflict of ${conflict.branch}`,
  prompt: conflictTask({ ...conflict, isAuthor: false, hunks: await conflictHunks(conflict) }),
  cwd: conflict.path,
  mode: "acceptEdits",
  signal,
});
