import { createPersona, type Persona } from "./model/persona.ts";
import { createRandom, type Random } from "./random.ts";

/** Everything that is decided before a run: the job, the models and the faults. */
export interface Scenario {
  readonly seed: number;
  /** Faults all the time, or only in the first half, after which the run must succeed in ending. */
  readonly mode: "safety" | "liveness";
  readonly members: readonly PlannedMember[];
  readonly tasks: readonly PlannedTask[];
  /** How members get their tasks: by the text of their prompt, by themselves, or from the lead as owners. */
  readonly assign: "prompt" | "claim" | "owner";
  /** The lead names the owner of a task when it creates the task, or starts a member with its task. */
  readonly earlyOwners: boolean;
  readonly tasksFirst: boolean;
  /** How often the lead gives more work to a member that has reported. */
  readonly followUps: number;
  /** The lead deletes one task that is left, instead of all. */
  readonly partialCleanUp: boolean;
  readonly ending: "answer" | "shutdown" | "delete";
  readonly leadMode: "default" | "acceptEdits" | "bypassPermissions";
  /** Members run in the lead's process, or each in a pane with its own process. */
  readonly backend: "in-process" | "tmux";
  /** The user that answers questions of permission after some seconds, if there is one. */
  readonly user: "absent" | "answers";
  readonly maxBudgetUsd: number | undefined;
  /** After this number of stored records the user adds an external member, whose program never runs. */
  readonly guestAtRecord: number | undefined;
  readonly personas: ReadonlyMap<string, Persona>;
  readonly faults: Faults;
}

export interface PlannedMember {
  readonly name: string;
  readonly type: string;
  readonly planRequired: boolean;
  readonly mode: "default" | "acceptEdits" | "bypassPermissions" | undefined;
  /** How many calls one piece of work takes. */
  readonly steps: number;
  /** It works in its own worktree. */
  readonly worktree: boolean;
}

export interface PlannedTask {
  readonly subject: string;
  readonly blockedBy: readonly number[];
  /** The index of the member that should do it. */
  readonly owner: number;
}

export interface Faults {
  /** The process is killed after this number of stored records. */
  readonly killAtRecord: number;
  readonly diskFull: { readonly atRecord: number; readonly forMs: number } | undefined;
  /** The time of day jumps, as after a suspend or a correction. */
  readonly clockJump: { readonly atRecord: number; readonly ms: number } | undefined;
  /** The process of a member dies, or the user closes its pane. Only a member in a pane can be lost alone. */
  readonly lostMember: { readonly atRecord: number; readonly how: "killed" | "pane closed" } | undefined;
  /** The part of requests that fail once and are tried again, or take very long. */
  readonly provider: number;
}

export const leadName = "team-lead";
/** The name of the external member. */
export const guestName = "guest";
const names = ["alice", "bob", "carol", "dave", "erin", "frank", "grace"];

const builtInTypes = ["general-purpose", "general-purpose", "general-purpose", "general-purpose", "Explore"];

/** `types`: the agent types of the members. */
export function createScenario(seed: number, { types = builtInTypes }: { types?: readonly string[] } = {}): Scenario {
  const random = createRandom(seed).fork("scenario");
  // This number leaves the runs that found faults as they were.
  const worktrees = random.fork("worktrees 2747");
  const hasWorktrees = worktrees.chance(0.3);
  const members = names
    .slice(0, random.pick([1, 1, 2, 2, 3, 3, 3, 4, 5, 7]))
    .map((name) => ({ ...planMember(name, { random, types }), worktree: hasWorktrees && worktrees.chance(0.7) }));
  const tasks = planTasks(members.length, random);
  const personas = new Map([leadName, ...names].map((name) => [name, createPersona(random.fork(name))]));
  const mode = random.pick(["safety", "liveness"] as const);
  const places = random.fork("places");
  const backend = places.pick(["in-process", "in-process", "tmux"] as const);
  return {
    seed,
    mode,
    members,
    tasks,
    assign: random.pick(["prompt", "claim", "owner"]),
    // So do these numbers.
    earlyOwners: random.fork("early owners 685251").chance(0.5),
    partialCleanUp: random.fork("partial clean-up 557850").chance(0.5),
    tasksFirst: random.chance(0.6),
    followUps: random.pick([0, 0, 1, 2]),
    ending: random.pick(["answer", "answer", "shutdown", "delete"]),
    leadMode: random.pick(["default", "acceptEdits", "acceptEdits", "bypassPermissions"]),
    user: random.pick(["absent", "absent", "answers"]),
    // The ledger that processes share is a file.
    maxBudgetUsd: random.chance(0.15) && backend === "in-process" ? planBudget(random) : undefined,
    backend,
    guestAtRecord: planGuest(random.fork("guest 73")),
    personas,
    faults: {
      ...planFaults(members.length, random),
      lostMember: backend === "tmux" ? planLoss(members.length, places) : undefined,
    },
  };
}

function planMember(
  name: string,
  { random, types }: { readonly random: Random; readonly types: readonly string[] },
): Omit<PlannedMember, "worktree"> {
  return {
    name,
    type: random.pick(types),
    planRequired: random.chance(0.2),
    mode: random.pick([undefined, undefined, "default", "acceptEdits", "bypassPermissions"]),
    steps: random.int(1, 4),
  };
}

function planTasks(members: number, random: Random): PlannedTask[] {
  const count = random.chance(0.2) ? 0 : random.int(1, members + 2);
  return Array.from({ length: count }, (_, at) => ({
    subject: `Part ${at + 1}`,
    blockedBy: at > 0 && random.chance(0.3) ? [random.int(0, at - 1)] : [],
    owner: random.int(0, members - 1),
  }));
}

/** A tenth of it is used up in the middle of most runs. */
const planBudget = (random: Random) =>
  random.pick([1, 3, 10]) * (random.fork("small budget 409402").chance(0.5) ? 0.1 : 1);

const planGuest = (random: Random) => (random.chance(0.2) ? random.int(15, 60) : undefined);

const planLoss = (members: number, random: Random): Faults["lostMember"] =>
  random.chance(0.7)
    ? { atRecord: random.int(15, 60 + 50 * members), how: random.pick(["killed", "killed", "pane closed"]) }
    : undefined;

/** In hours. Longer than any run, so that a time of day is never ambiguous. */
const jumps = [-720, -24, 8, 24, 720];

function planFaults(members: number, random: Random): Omit<Faults, "lostMember"> {
  return {
    killAtRecord: random.int(5, 60 + 50 * members),
    diskFull: random.chance(0.15)
      ? { atRecord: random.int(5, 60 + 50 * members), forMs: random.pick([500, 5_000, 60_000]) }
      : undefined,
    provider: random.pick([0, 0, 0, 0.1, 0.3]),
    clockJump: random.chance(0.15)
      ? { atRecord: random.int(5, 60 + 50 * members), ms: random.pick(jumps) * 3_600_000 }
      : undefined,
  };
}
