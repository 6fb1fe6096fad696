import type { Cleanup, Clock } from "../../platform/index.ts";
import type { Config } from "../config/load-config.ts";
import type { SessionLog } from "../session-context.ts";
import { openCheckpointJournal } from "./checkpoint-journal.ts";
import { openFolderStates } from "./folder-states.ts";
import { createSessionCheckpoints, type SessionCheckpoints } from "./session-checkpoints.ts";

interface OpenOptions {
  readonly config: Config;
  readonly log: SessionLog;
  /** The folder of the session's own agent. */
  readonly cwd: string;
  readonly isLazy: boolean;
  readonly clock: Clock;
  readonly cleanup: Cleanup;
}

/** Opens the checkpoints of a session on disk. Starts no process and writes nothing. */
export function openCheckpoints({
  config,
  log,
  cwd,
  isLazy,
  clock,
  cleanup,
}: OpenOptions): SessionCheckpoints | undefined {
  if (log.isInMemory || config.checkpoints.mode === "off") return undefined;
  const { leadLog, checkpointFolder } = log.opened;
  const checkpoints = createSessionCheckpoints({
    own: { agent: leadLog.agent, cwd },
    states: openFolderStates(config, checkpointFolder),
    journal: openCheckpointJournal(checkpointFolder, clock),
    isLazy,
    clock,
  });
  for (const envelope of log.earlierAgents) if (envelope.event.type === "agent.spawned") checkpoints.observe(envelope);
  cleanup.add(checkpoints.close);
  return checkpoints;
}
