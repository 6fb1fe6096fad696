import { resolve } from "node:path";
import { escapeSenders } from "../../agent/index.ts";
import { isInside } from "../../platform/index.ts";
import { type AgentId, type AgentPath, type CallId, type Envelope, leadPath } from "../../protocol/index.ts";

/**
 * Tracks which running agents change which files. It sees tools that change files, but not what commands do to files.
 */
export interface FileOverlapMap {
  /** Receives the events of all agents, in order per agent. */
  observe(envelope: Envelope): FileOverlap | undefined;
  /** Files that running agents have changed, with the agents. */
  touched(): ReadonlyMap<string, readonly AgentPath[]>;
}

/** An agent changed a file that other running agents have changed. Reported once per pair of agents and file. */
export interface FileOverlap {
  readonly file: string;
  readonly agent: AgentPath;
  readonly others: readonly AgentPath[];
  /** The notices, at most one per agent. */
  readonly notices: readonly { readonly agent: AgentId; readonly text: string }[];
}

export interface FileOverlapOptions {
  /** Resolves links, so that two names of one file count as one. */
  readonly realPath?: (path: string) => string;
}

interface Worker {
  readonly id: AgentId;
  path: AgentPath;
  cwd: string;
  worktree: string | undefined;
  readonly calls: Map<CallId, string>;
}

export function createFileOverlapMap({ realPath = (path) => path }: FileOverlapOptions = {}): FileOverlapMap {
  const workers = new Map<AgentId, Worker>();
  const touchedBy = new Map<string, Set<Worker>>();
  const reported = new Set<string>();

  const workerOf = (id: AgentId): Worker => {
    const known = workers.get(id);
    if (known) return known;
    const worker = { id, path: id as string as AgentPath, cwd: "/", worktree: undefined, calls: new Map() };
    workers.set(id, worker);
    return worker;
  };

  const release = (worker: Worker) => {
    worker.calls.clear();
    for (const [file, by] of touchedBy) if (by.delete(worker) && by.size === 0) touchedBy.delete(file);
  };

  const touch = (worker: Worker, file: string): FileOverlap | undefined => {
    const by = touchedBy.get(file) ?? new Set();
    touchedBy.set(file, by.add(worker));
    const others = [...by].filter((other) => other !== worker && isNew(file, worker, other));
    if (others.length === 0) return undefined;
    const notices = new Map<AgentId, string>();
    if (!isOwn(file, worker, others)) notices.set(worker.id, secondEditorNotice(file, others));
    const lead = [...workers.values()].find(({ path }) => path === leadPath);
    if (lead && lead !== worker) notices.set(lead.id, leadNotice(file, worker, others));
    return {
      file,
      agent: worker.path,
      others: others.map(({ path }) => path),
      notices: [...notices].map(([agent, text]) => ({ agent, text })),
    };
  };

  const isNew = (file: string, a: Worker, b: Worker) => {
    const pair = JSON.stringify([file, ...[a.id, b.id].sort()]);
    const newOverlaps = !reported.has(pair);
    reported.add(pair);
    return newOverlaps;
  };

  return {
    touched: () => new Map([...touchedBy].map(([file, by]) => [file, [...by].map(({ path }) => path)])),
    observe({ agent, event }) {
      const worker = workerOf(agent);
      switch (event.type) {
        case "session.opened":
          worker.path = leadPath;
          return undefined;
        case "agent.spawned":
          worker.path = event.path;
          worker.cwd = event.cwd;
          worker.worktree = event.worktree && realPath(event.worktree.path);
          return undefined;
        case "agent.changed":
          worker.cwd = event.cwd ?? worker.cwd;
          return undefined;
        case "tool.called":
          worker.calls.set(event.callId, worker.cwd);
          return undefined;
        case "tool.settled": {
          const cwd = worker.calls.get(event.callId) ?? worker.cwd;
          worker.calls.delete(event.callId);
          if (event.outcome !== "ok" || event.display?.kind !== "diff") return undefined;
          return touch(worker, realPath(resolve(cwd, event.display.path)));
        }
        case "agent.idle":
        case "agent.stopped":
          release(worker);
          return undefined;
        default:
          return undefined;
      }
    },
  };
}

/** In an agent's own worktree the other agents are the intruders. */
const isOwn = (file: string, { worktree }: Worker, others: readonly Worker[]) =>
  worktree !== undefined && isInside(file, worktree) && others.every((other) => other.worktree !== worktree);

const secondEditorNotice = (file: string, others: readonly Worker[]) =>
  `${named(others)}, working at the same time, ${others.length === 1 ? "has" : "have"} also changed ${quoted(file)}. Read it again before you change it further, do not change the others' edits, and mention the overlap in your report.`;

const leadNotice = (file: string, worker: Worker, others: readonly Worker[]) =>
  `${worker.path} has changed ${quoted(file)}, which ${named(others)}, working at the same time, ${others.length === 1 ? "has" : "have"} also changed. If their tasks conflict, stop one agent or let it wait. Agents in separate worktrees do not conflict.`;

/** For a model: an agent chooses file names, so they are escaped. */
const quoted = (file: string) => escapeSenders(JSON.stringify(file));

const named = (workers: readonly Worker[]) => workers.map(({ path }) => path).join(", ");
