import { type Clock, never } from "../../platform/index.ts";
import { type Append, diskFullError, type MemoryIo } from "./memory-io.ts";

export interface ProcessIoOptions {
  readonly processName: string;
  readonly clock: Clock;
  readonly isFull: () => boolean;
  /** Called after each stored record, before its writer continues. */
  readonly onRecord: (path: string) => void;
}

/** The memory access and the clock of a process that can be killed at any record. */
export function createProcessIo({ processName, clock, isFull, onRecord }: ProcessIoOptions): {
  readonly io: MemoryIo;
  readonly clock: Clock;
  kill(): void;
} {
  const listeners = new Set<() => void>();
  let isDead = false;

  const append: Append = (path, records, add) => {
    if (isFull()) throw diskFullError(path);
    for (const record of records) {
      if (isDead) return;
      add(record);
      onRecord(path);
    }
  };

  const io: MemoryIo = {
    processName,
    get isDead() {
      return isDead;
    },
    async turn(action) {
      await Promise.resolve();
      try {
        if (!isDead) {
          const result = action(append);
          if (!isDead) return result;
        }
      } catch (error) {
        if (!isDead) throw error;
      }
      return never();
    },
    async *whileAlive(source) {
      for await (const item of source) {
        if (isDead) await never();
        yield item;
      }
      if (isDead) await never();
    },
    onDeath(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };

  /** A sleeper of a dead process still wakes, and its caller never hears of it. */
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isDead) return;
      clock.sleep(ms, signal).then(
        () => void (isDead || resolve()),
        (error: unknown) => void (isDead || reject(error as Error)),
      );
    });

  const kill = () => {
    if (isDead) return;
    isDead = true;
    for (const listener of listeners) listener();
    listeners.clear();
  };

  return { io, clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep }, kill };
}
