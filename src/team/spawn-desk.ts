import type { SpawnBook, SpawnCame, SpawnCaps, SpawnEntry } from "./spawn-book.ts";
import type { AgentPlace, SpawnLimits } from "./spawn-limits.ts";

/** Where entries get their place in the one order that everybody goes by. */
export interface SpawnLog {
  readonly book: SpawnBook;
  /** Who waits for an answer here. */
  readonly answers: Map<string, (came: SpawnCame) => void>;
  /** The book knows what others have done by now. */
  ready(): void;
  /** What cannot be put down now is put down later. */
  put(entry: SpawnEntry): void;
  /** Resolves when it is put down; rejects if it cannot be. */
  ask(entry: Asking, signal: AbortSignal | undefined): Promise<void>;
  /** The process that goes down with what it holds; undefined where it is the only one. */
  by?(): Extract<SpawnEntry, { do: "take" }>["by"];
  /** The session is open, and has had an earlier life. */
  onRecall?(): void;
  newId(): string;
  now(): number;
}

export type Asking = Extract<SpawnEntry, { do: "ask" | "back" }>;

export interface SpawnDeskOptions {
  /** The session that agents are counted for. */
  readonly who: string;
  /** The member of a team that it is about: `name@team`. */
  readonly member?: string | undefined;
}

/** The limits as one session meets them. */
export function createSpawnDesk(log: SpawnLog, { who, member }: SpawnDeskOptions): SpawnLimits {
  const { book, answers } = log;
  let recalled = 0;
  const mine = () => {
    const by = log.by?.();
    return { who, ...(by && { by }) };
  };

  /** What its logs say it has started, and was not put down, is put down once. */
  const settleUp = () => {
    log.ready();
    const missing = recalled - book.hadBy(who);
    if (recalled > 0 && missing > 0) log.put({ do: "had", who, agents: missing });
    recalled = 0;
  };

  const leave = (id: string) => log.put({ do: "leave", id, at: log.now() });

  const wait = async (entry: Asking, signal: AbortSignal | undefined, onWait?: () => void): Promise<SpawnCame> => {
    let isAnswered = false;
    const answered = new Promise<SpawnCame>((resolve) =>
      answers.set(entry.id, (came) => {
        isAnswered = true;
        answers.delete(entry.id);
        resolve(came);
      }),
    );
    try {
      await log.ask(entry, signal);
      if (!isAnswered) onWait?.();
      return await unless(signal, answered);
    } catch (error) {
      answers.delete(entry.id);
      leave(entry.id);
      throw error;
    }
  };

  const placeOf = (id: string): AgentPlace => {
    let state: "held" | "lent" | "released" = "held";
    return {
      release() {
        if (state === "released") return;
        state = "released";
        leave(id);
        // It was ended while it waited to go on.
        answers.get(id)?.("started");
      },
      lend() {
        if (state !== "held") throw new Error(`a place that is ${state} cannot be lent`);
        state = "lent";
        log.put({ do: "lend", id, at: log.now() });
        return async (signal) => {
          if (state !== "lent") return;
          signal?.throwIfAborted();
          await wait({ do: "back", id, at: log.now() }, signal);
          if (state === "lent") state = "held";
        };
      },
    };
  };

  return {
    get running() {
      settleUp();
      return book.running;
    },
    get queued() {
      settleUp();
      return book.queued;
    },
    get total() {
      settleUp();
      return book.total;
    },
    occupy(of) {
      const id = log.newId();
      log.put({ do: "take", id, ...(of !== undefined && { member: of }), ...mine() });
      return placeOf(id);
    },
    lendOwn() {
      if (member === undefined) return () => undefined;
      const id = log.newId();
      log.put({ do: "away", id, member, ...mine(), at: log.now() });
      return () => leave(id);
    },
    recall(event) {
      log.onRecall?.();
      if (event.type === "member.joined" || (event.type === "agent.spawned" && event.parent !== undefined))
        recalled += 1;
    },
    async admit({ parentDepth, isBack = false, signal, onQueued }) {
      signal?.throwIfAborted();
      settleUp();
      if (!isBack && parentDepth >= book.limits.maxDepth)
        return { ok: false, message: tooDeep(parentDepth, book.limits) };
      const id = log.newId();
      const entry = { do: "ask" as const, id, ...mine(), ...(isBack && { isBack: true as const }), at: log.now() };
      const came = await wait(entry, signal, () => onQueued?.(book.aheadOf(id)));
      if (came === "refused") return { ok: false, message: tooMany(book.total, book.limits) };
      return { ok: true, depth: parentDepth + 1, place: placeOf(id) };
    },
  };
}

async function unless<T>(signal: AbortSignal | undefined, wait: Promise<T>): Promise<T> {
  if (!signal) return wait;
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([wait, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

const tooDeep = (depth: number, { maxDepth }: SpawnCaps) =>
  maxDepth === 0
    ? "No agent was started: agents are switched off here (limits.maxDepth is 0). Do the work yourself."
    : `No agent was started: an agent at depth ${depth}, such as you, may not start others here (limits.maxDepth is ${maxDepth}). Do the work yourself, or say in your result what is left to do.`;

const tooMany = (total: number, { maxAgents }: SpawnCaps) =>
  `No agent was started: this session has had ${total} of the ${maxAgents} agents it may have (limits.maxAgents). Do the rest yourself, or finish with what you have.`;
