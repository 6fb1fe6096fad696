import { join } from "node:path";
import { safeName } from "../platform/index.ts";
import type { AgentId, SessionId } from "../protocol/index.ts";

/** The paths of one session's files. */
export interface SessionFiles {
  readonly project: string;
  /** The lead's log. */
  readonly log: string;
  readonly folder: string;
  readonly owner: string;
  readonly subagents: string;
  readonly tasks: string;
  /** The session's own task list, for agents without a team. */
  readonly taskList: string;
  readonly checkpoints: string;
  readonly results: string;
  readonly scratch: string;
  /** The folder that a coordinator's agents share. */
  readonly scratchpad: string;
}

export const projectsFolder = (home: string): string => join(home, "projects");

export function sessionFiles(home: string, project: string, sessionId: SessionId): SessionFiles {
  const folder = join(projectsFolder(home), project, sessionId);
  return {
    project,
    log: `${folder}.jsonl`,
    folder,
    owner: join(folder, "owner.jsonl"),
    subagents: join(folder, "subagents"),
    tasks: join(folder, "tasks"),
    taskList: join(folder, "tasks.jsonl"),
    checkpoints: join(folder, "checkpoints"),
    results: join(folder, "results"),
    scratch: join(folder, "scratch"),
    scratchpad: join(folder, "scratchpad"),
  };
}

export const agentLogFile = (files: SessionFiles, agentId: AgentId): string =>
  join(files.subagents, `${safeName(agentId)}.jsonl`);
