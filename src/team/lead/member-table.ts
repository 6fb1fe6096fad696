import type { WorkItem } from "../../protocol/index.ts";
import type { RunningMember } from "../backend/backend.ts";

/** The members that a lead runs, and what it is doing with each. */
export interface MemberTable {
  readonly running: Map<string, RunningMember>;
  /** Members that this lead is ending, so that their end is not reported. */
  readonly leaving: ReadonlySet<string>;
  /** Members being respawned, so that traces of their previous run do not count. */
  readonly starting: ReadonlySet<string>;
  /** The tasks that were released when a member ended, until its end is announced. */
  readonly released: Map<string, readonly WorkItem[]>;
  /** From then on a member that ends is not lost. */
  readonly isClosing: boolean;
  /** True while this lead starts or ends it. */
  isInTransit(name: string): boolean;
  whileLeaving<T>(name: string, work: () => Promise<T>): Promise<T>;
  whileStarting<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when the lead has finished ending the member, also if that failed. */
  left(name: string): Promise<void>;
  /** Marks a member that does not come back before the lead is closed. */
  leave(name: string): void;
  close(): void;
}

export function createMemberTable(): MemberTable {
  const leaving = new Set<string>();
  const starting = new Set<string>();
  const departures = new Map<string, Promise<unknown>>();
  let isClosing = false;
  const during =
    (names: Set<string>) =>
    async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      names.add(name);
      try {
        return await work();
      } finally {
        names.delete(name);
      }
    };
  const whileLeaving = during(leaving);
  return {
    running: new Map(),
    leaving,
    starting,
    released: new Map(),
    get isClosing() {
      return isClosing;
    },
    isInTransit: (name) => leaving.has(name) || starting.has(name),
    whileLeaving(name, work) {
      const departure = whileLeaving(name, work);
      departures.set(name, departure);
      return departure;
    },
    whileStarting: during(starting),
    async left(name) {
      await departures.get(name)?.catch(() => undefined);
    },
    leave: (name) => void leaving.add(name),
    close: () => {
      isClosing = true;
    },
  };
}
