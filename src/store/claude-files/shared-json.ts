import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { type Clock, ifPresent, missingOrFile, storageError } from "../../platform/index.ts";
import { parseJson } from "../../protocol/index.ts";
import { type LockOptions, acquireLock } from "./folder-lock.ts";

/** JSON files that external programs also write. */
export interface SharedJson {
  /**
   * Returns undefined if the file does not exist. Returns `damaged` if it is not JSON even after some retries, since it
   * may be in the middle of a write.
   */
  read(path: string): Promise<JsonReading>;
  /**
   * Runs under the file's lock, one change after another. `change` gets the content and returns the new content;
   * undefined leaves the file as it is. A damaged file is quarantined first and counts as missing; `onDamage` gets its
   * new name.
   */
  update<T>(path: string, change: (now: unknown) => Promise<JsonChange<T>> | JsonChange<T>): Promise<T>;
  /** Stores a value that no longer belongs in the file next to it, and reports it. */
  quarantine(path: string, value: unknown): Promise<void>;
  /** The same lock for several files. `path` names the lock. */
  locked<T>(path: string, work: (files: LockedFiles) => Promise<T>): Promise<T>;
}

export interface LockedFiles {
  read(path: string): Promise<unknown>;
  write(path: string, value: unknown): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface JsonChange<T> {
  readonly write?: unknown;
  readonly result: T;
}

export type JsonReading = { readonly value: unknown } | { readonly damaged: string };

export interface SharedJsonOptions extends LockOptions {
  readonly clock: Clock;
  readonly onDamage: (path: string, aside: string) => void;
}

export function createSharedJson(options: SharedJsonOptions): SharedJson {
  const { clock } = options;
  /** Changes of this process wait for each other here instead of at the lock. */
  const turns = new Map<string, Promise<unknown>>();

  const inTurn = <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const before = turns.get(path) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined); // the caller gets the error
    turns.set(path, settled);
    void settled.then(() => {
      if (turns.get(path) === settled) turns.delete(path);
    });
    return mine;
  };

  const read = async (path: string): Promise<JsonReading> => {
    for (let tries = 0; ; tries++) {
      const text = await readText(path);
      if (text === undefined) return { value: undefined };
      const value = parseJson(text);
      if (value !== undefined) return { value };
      if (tries === readAttempts) return { damaged: text };
      await clock.sleep(20 * 2 ** tries);
    }
  };

  const readOrQuarantine = async (path: string): Promise<unknown> => {
    const reading = await read(path);
    if ("value" in reading) return reading.value;
    const aside = quarantinePathOf(path);
    await move(path, aside);
    options.onDamage(path, aside);
    return undefined;
  };

  const quarantinePathOf = (path: string) =>
    `${path}.bad-${new Date(clock.now()).toISOString().replaceAll(":", "")}-${randomBytes(2).toString("hex")}`;

  const quarantine = async (path: string, value: unknown) => {
    const aside = quarantinePathOf(path);
    await write(aside, value, async () => undefined);
    options.onDamage(path, aside);
  };

  const locked = <T>(path: string, work: (files: LockedFiles) => Promise<T>): Promise<T> =>
    inTurn(path, async () => {
      const lock = await acquireLock(`${path}.lock`, options);
      try {
        return await work({
          read: readOrQuarantine,
          write: (file, value) => write(file, value, lock.assertHeld),
          remove: async (file) => {
            await lock.assertHeld();
            await rm(file, { force: true }).catch((error: unknown) => {
              throw storageError("remove", file, error);
            });
          },
        });
      } finally {
        await lock.release();
      }
    });

  return {
    read,
    locked,
    quarantine,
    update: (path, change) =>
      locked(path, async (files) => {
        const { write: next, result } = await change(await files.read(path));
        if (next !== undefined) await files.write(path, next);
        return result;
      }),
  };
}

/** The number of retries, over a third of a second, for a file that is not JSON. */
const readAttempts = 4;

/** Replaces the file in one step, after the new content is on disk. */
async function write(path: string, value: unknown, assertHeld: () => Promise<void>): Promise<void> {
  const temporary = `${path}.tmp.${randomBytes(4).toString("hex")}`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(value, undefined, 2));
      await file.sync();
    } finally {
      await file.close();
    }
    await assertHeld();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw storageError("write", path, error);
  }
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    throw storageError("quarantine", from, error);
  }
}

function readText(path: string): Promise<string | undefined> {
  return ifPresent(() => readFile(path, "utf8"), { action: "read", path, missing: missingOrFile });
}
