import { conflictTask } from "../../agent/index.ts";
import { isInside } from "../../platform/index.ts";
import { type AgentId, oneLine, type PermissionMode, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import type { SessionStore } from "../../store/index.ts";
import {
  branchAuthor,
  type Conflict,
  conflictHunks,
  type ResolveConflict,
  type RepositoryContext,
} from "../../team/index.ts";
import type { Session } from "../session.ts";
import { askConflictAgent } from "../subagents/ask-conflict-agent.ts";
import { startSession, type StartOptions } from "../start-session.ts";

export interface ConflictAgentOptions {
  readonly place: RepositoryContext;
  readonly store: SessionStore;
  /** Options for starting sessions: folder, environment, flags. */
  readonly start: Pick<StartOptions, "cwd" | "env" | "flags" | "trust" | "model" | "store">;
  /** The agent type for a branch whose author is unknown or not available. */
  readonly type: string;
  readonly mode: PermissionMode;
  onProgress?(line: string): void;
}

/**
 * Gives a conflict to the agent that wrote the branch, in its own session, because it knows the intent. If the author
 * is unknown or its session is in use, a new agent gets the conflict. The result is only the agent's own opinion:
 * landing checks if the conflict is resolved.
 */
export function createConflictAgent(options: ConflictAgentOptions): ResolveConflict {
  const { onProgress = () => undefined } = options;
  return async (conflict, signal) => {
    const author = await findAuthor(conflict.branch, options);
    const { session, isAuthor } = await sessionFor(author, conflict.branch, options);
    try {
      const assignee = isAuthor && author ? { agent: author.agentId } : { type: options.type };
      const name = "agent" in assignee ? `author ${assignee.agent}` : `a new agent (${assignee.type})`;
      onProgress(`${conflict.branch}: conflict goes to ${name}`);
      const { resolution, said } = await askConflictAgent((work) => session.delegate(work), conflict, {
        who: assignee,
        description: `resolve the conflict of ${conflict.branch}`,
        prompt: await promptFor(conflict, { author, isAuthor }),
        cwd: conflict.path,
        mode: options.mode,
        signal,
      });
      onProgress(
        resolution === "resolved"
          ? `${conflict.branch}: the agent says: ${shortLine(said)}`
          : `${conflict.branch}: the agent did not resolve it: ${shortLine(resolution.unresolved)}`,
      );
      return resolution;
    } finally {
      await session.close();
    }
  };
}

interface Author {
  readonly agentId: AgentId;
  readonly sessionId: string;
  readonly task: string;
}

/** Finds the author in the record of its worktree, otherwise in the logs of this folder's sessions. */
async function findAuthor(branch: string, { place, store, start }: ConflictAgentOptions): Promise<Author | undefined> {
  const known = await branchAuthor(place, branch);
  for (const { sessionId, cwd } of await store.list()) {
    if (!isInside(cwd, start.cwd) && !isInside(start.cwd, cwd)) continue;
    const logs = await readOrUndefined(store.readAgents(sessionId));
    for (const [agentId, log] of logs ?? []) {
      if (known === undefined ? !didCreateBranch(log, branch) : agentId !== known) continue;
      return { agentId, sessionId, task: taskOf(log) };
    }
  }
  return undefined;
}

const didCreateBranch = (log: readonly StoredEnvelope[], branch: string) =>
  log.some(({ event }) => event.type === "agent.spawned" && event.worktree?.branch === branch);

function taskOf(log: readonly StoredEnvelope[]): string {
  const said = log.map(({ event }) => event).find((event) => event.type === "prompt.admitted");
  return said?.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") ?? "";
}

/** An unreadable session has no author to ask. */
async function readOrUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}

async function sessionFor(
  author: Author | undefined,
  branch: string,
  { start, onProgress }: ConflictAgentOptions,
): Promise<{ session: Session; isAuthor: boolean }> {
  const begin = (resume?: string) => startSession({ ...start, resume, isBesideTeam: true, asker: "nobody" });
  if (author) {
    try {
      return { session: await begin(author.sessionId), isAuthor: true };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      onProgress?.(`${branch}: cannot ask its author ${author.agentId}: ${shortLine(error.message)}`);
    }
  }
  return { session: await begin(), isAuthor: false };
}

async function promptFor(
  conflict: Conflict,
  { author, isAuthor }: { author: Author | undefined; isAuthor: boolean },
): Promise<string> {
  return conflictTask({ ...conflict, isAuthor, task: author?.task, hunks: await conflictHunks(conflict) });
}

const shortLine = (text: string) => oneLine(text).slice(0, 200);
