import { readdirSync, readFileSync } from "node:fs";

/** The name of the variable by which every process that a run started is known, wherever it has moved to since. */
export const markVariable = "TROUPE_PROCESS_MARK";
/** Set in the environment of a watchdog: it outlives the tree it stands in, because it is what ends it. */
export const reaperVariable = "TROUPE_REAPER";

/** One started process and whatever came of it. `leader` made a session of its own: it is process, group and session id. */
export interface ProcessTree {
  readonly leader: number;
  /** The value of `markVariable` in its environment, or the beginning of it. */
  readonly mark: string;
  /** When the leader was started, where that is known: what was there before has nothing to do with it, and is not looked at. */
  readonly since?: number | undefined;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With the pid, what tells one process from a later one of the same number. */
  readonly startedAt: string;
}

/**
 * The living processes of a tree: its session, its group, their descendants, and what carries its mark (a daemon that
 * made a session of its own). Without /proc only the group can be told, as the negative number of its leader.
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

/** When a living process was started, in the system's own ticks. */
export function startOf(pid: number): number | undefined {
  const entry = process.platform === "linux" ? readEntry(pid) : undefined;
  return entry && Number(entry.startedAt);
}

/**
 * Ends a whole tree: SIGTERM, `graceMs` to comply, then SIGKILL; stopped processes too. Resolves as soon as nothing of
 * it is left, at the latest about a second after the grace.
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
  // Stopped first, so that nothing forks away between being seen and being killed.
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

/** Undefined where there is no /proc. Zombies are left out: they are dead and wait for their parent only. */
function listProcesses(): ProcessEntry[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command's name stands in parentheses and may hold anything, parentheses too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt: fields[19] ?? "" };
}

const hasMark = (pid: number, mark: string) => readProc(`/proc/${pid}/environ`)?.includes(`${markVariable}=${mark}`);
const isReaper = (pid: number) => readProc(`/proc/${pid}/environ`)?.includes(`${reaperVariable}=1`) ?? false;
const isAlive = (entry: ProcessEntry) => readEntry(entry.pid)?.startedAt === entry.startedAt;

/** Undefined when the process has gone or belongs to somebody else; both mean that it is not ours. */
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

/** False when there was nobody to get it. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM: macOS says so of a group of which only zombies are left; on Linux it is somebody else's process.
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}
