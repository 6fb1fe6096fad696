import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, type Clock } from "../../platform/index.ts";
import { type BusAddress, loadWorkBus, type WorkBus } from "../../store/index.ts";

/** Where a session's agents on other machines are run; connected with the first of them. */
export interface RemoteWork {
  readonly leaseMs: number;
  /** How long a job may wait for a worker, or for another one. */
  readonly workerWaitMs: number;
  bus(): Promise<WorkBus>;
  /** A folder for files on their way, which is gone afterwards. */
  withFolder<T>(use: (folder: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function remoteWork({
  bus,
  home,
  clock,
}: {
  readonly bus: BusAddress;
  readonly home: string;
  readonly clock: Clock;
}): RemoteWork {
  let opened: Promise<WorkBus> | undefined;
  return {
    leaseMs: bus.leaseMs ?? 10_000,
    workerWaitMs: bus.workerWaitMs ?? 120_000,
    bus() {
      opened ??= loadWorkBus()
        .then((open) => open({ bus, clock }))
        .catch((error: unknown) => {
          opened = undefined;
          throw error;
        });
      return opened;
    },
    async withFolder(use) {
      const parent = join(home, "work");
      await makeFolder(parent);
      const folder = await mkdtemp(join(parent, "files-"));
      try {
        return await use(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
