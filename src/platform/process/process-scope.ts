import { randomUUID } from "node:crypto";
import { type ProcessReaper, startReaper } from "./process-reaper.ts";
import { endTree, groupExists, type ProcessTree, startOf, treeMembers } from "./process-tree.ts";
import { followProcess, notStartedResult, type RunRequest, type RunResult } from "./run-process.ts";
import { type ProcessRequest, type RunningProcess, startProcess } from "./start-process.ts";

/**
 * Owns every process started through it. Processes that a finished program left running (`server &`) may continue while
 * the scope is open. No process outlives the scope or its owner, however the owner ends.
 */
export interface ProcessScope {
  run(request: RunRequest): Promise<ScopedRunResult>;
  /** For an interactive program: the caller reads and writes its pipes. */
  start(request: ProcessRequest): RunningProcess;
  /** Ends everything it started within about two seconds, and starts no more. */
  close(): Promise<void>;
}

interface ScopedRunResult extends RunResult {
  /** Ids of processes that the finished program left behind; empty if unknown. */
  readonly leftRunning: readonly number[];
}

export function createProcessScope(): ProcessScope {
  const scopeMark = randomUUID();
  const trees = new Map<number, ProcessTree>();
  const finished = new Set<number>();
  let reaper: ProcessReaper | undefined;
  let count = 0;
  let closing: Promise<void> | undefined;

  const launch = (request: ProcessRequest): RunningProcess => {
    if (closing) throw new Error("cannot start a process: the session is ending");
    reaper ??= startReaper(scopeMark);
    for (const leader of finished) leftOf(leader);
    // The last character prevents that the mark of run 1 is a prefix of the mark of run 10.
    const mark = `${scopeMark}.${++count}.`;
    const child = startProcess(request, mark);
    if (child.pid !== undefined) {
      trees.set(child.pid, { leader: child.pid, mark, since: startOf(child.pid) });
      reaper.add(child.pid);
    }
    return child;
  };

  /**
   * Returns what is left of a finished program. If nothing is left, the program is forgotten, because its pid may soon
   * be reused.
   */
  const leftOf = (leader: number): readonly number[] => {
    const tree = trees.get(leader);
    if (tree === undefined) return [];
    finished.add(leader);
    const left = treeMembers(tree);
    if (left === undefined ? !groupExists(leader) : left.length === 0) forget(leader);
    return (left ?? []).map((entry) => entry.pid);
  };

  const forget = (leader: number) => {
    finished.delete(leader);
    trees.delete(leader);
    reaper?.remove(leader);
  };

  const close = async () => {
    await Promise.all([...trees.values()].map((tree) => endTree(tree, 1000)));
    reaper?.release();
  };

  return {
    start(request) {
      const child = launch(request);
      const { pid } = child;
      if (pid !== undefined) void child.ended.then(() => leftOf(pid));
      return child;
    },
    async run(request) {
      if (request.signal?.aborted) return { ...notStartedResult, leftRunning: [] };
      const child = launch(request);
      const result = await followProcess(child, request);
      if (child.pid === undefined) return { ...result, leftRunning: [] };
      if (!request.startsNothing || result.exitCode === null) return { ...result, leftRunning: leftOf(child.pid) };
      forget(child.pid);
      return { ...result, leftRunning: [] };
    },
    close: () => (closing ??= close()),
  };
}
