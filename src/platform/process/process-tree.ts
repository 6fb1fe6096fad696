import { readdirSync, readFileSync } from "node:fs";

/** The environment variable that identifies every process of a run, even in another session. */
export const markVariable = "TROUPE_PROCESS_MARK";
/** Set in the environment of a watchdog: it outlives its process tree, because it ends that tree. */
export const reaperVariable = "TROUPE_REAPER";

/** One started process and all its descendants. `leader` started a new session: it is process, group and session id. */
export interface ProcessTree {
  readonly leader: number;
  /** The value of `markVariable` in its environment, or a prefix of it. */
  readonly mark: string;
  /** Start time of the leader, if known. Older processes do not belong to the tree and are skipped. */
  readonly since?: number | undefined;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Together with the pid, it distinguishes a process from a later one with the same number. */
  readonly startedAt: string;
}

/**
 * Returns the live processes of a tree: its session, its group, their descendants, and processes with its mark (a
 * daemon in another session). Without /proc it returns only the group, as the negative number of its leader.
 */
export function treeMembers(tree: ProcessTree): readonly ProcessEntry[] | undefined {
  const processes = listProcesses();
  if (processes === undefined) return undefined;
  const members = new Map<number, ProcessEntry>();
  const { since = 0 } = tree;
  for (const entry of processes) {
    if (Number(entry.startedAt) < since) continue;
    const ours = entry.session === tree.leader || entry.group === tree.leader || entry.pid === tree.leader;
    if (ours || hasMark(entry.pid, tree.mark)) members.set(entry.pid, entry);
  }
  for (let grew = true; grew; ) {
    grew = false;
    for (const entry of processes) {
      if (members.has(entry.pid) || !members.has(entry.parent)) continue;
      members.set(entry.pid, entry);
      grew = true;
    }
  }
  members.delete(process.pid);
  return [...members.values()].filter((entry) => !isReaper(entry.pid));
}

/** Returns the start time of a live process in the system's ticks. */
export function startOf(pid: number): number | undefined {
  const entry = process.platform === "linux" ? readEntry(pid) : undefined;
  return entry && Number(entry.startedAt);
}

/**
 * Ends a whole tree: SIGTERM, `graceMs` to comply, then SIGKILL; also stopped processes. Resolves when nothing of it is
 * left, at the latest about a second after the grace period.
 */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  const known = new Map<number, ProcessEntry>();
  const look = () => {
    for (const entry of treeMembers(tree) ?? []) known.set(entry.pid, entry);
    return known;
  };
  for (const pid of [...look().keys(), -tree.leader]) {
    send(pid, "SIGTERM");
    send(pid, "SIGCONT");
  }
  if (await allGone(tree, known, graceMs)) return;
  // Stops all processes first, so that none forks between being listed and being killed.
  for (let round = 0; round < 10; round++) {
    for (const pid of look().keys()) send(pid, "SIGSTOP");
    send(-tree.leader, "SIGKILL");
    for (const [pid, entry] of look()) if (isAlive(entry)) send(pid, "SIGKILL");
    if ((await allGone(tree, known, 100)) && (treeMembers(tree) ?? []).length === 0) return;
  }
}

async function allGone(tree: ProcessTree, known: Map<number, ProcessEntry>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let wait = 5; ; wait = Math.min(wait * 2, 50)) {
    for (const [pid, entry] of known) if (!isAlive(entry)) known.delete(pid);
    if (known.size === 0) {
      const left = treeMembers(tree);
      if (left === undefined ? !groupExists(tree.leader) : left.length === 0) return true;
      for (const entry of left ?? []) known.set(entry.pid, entry);
    }
    const rest = deadline - performance.now();
    if (rest <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, rest)));
  }
}

/** Returns undefined without /proc. Zombies are excluded: they are dead and only wait for their parent. */
function listProcesses(): ProcessEntry[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command's name is in parentheses and may contain any character, including parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt: fields[19] ?? "" };
}

const hasMark = (pid: number, mark: string) => readProc(`/proc/${pid}/environ`)?.includes(`${markVariable}=${mark}`);
const isReaper = (pid: number) => readProc(`/proc/${pid}/environ`)?.includes(`${reaperVariable}=1`) ?? false;
const isAlive = (entry: ProcessEntry) => readEntry(entry.pid)?.startedAt === entry.startedAt;

/** Returns undefined if the process has ended or belongs to another user. In both cases it is not ours. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

export function groupExists(leader: number): boolean {
  return send(-leader, 0);
}

/** Returns false if no process received it. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM: on macOS the group contains only zombies; on Linux the process belongs to another user.
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}
