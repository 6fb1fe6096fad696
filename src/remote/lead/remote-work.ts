import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, type Clock } from "../../platform/index.ts";
import type { BusAddress } from "../../store/index.ts";
import { loadWorkBus } from "../jobs/load-work-bus.ts";
import type { WorkBus } from "../jobs/work-bus.ts";

/** The session's access to workers. Connects when the first remote agent starts. */
export interface RemoteWork {
  readonly leaseMs: number;
  /** How long a job may wait for a worker. */
  readonly workerWaitMs: number;
  /** How long a worker continues without contact to this session. */
  readonly leadWaitMs: number;
  /** True if agents may continue after the session ends, because it can be resumed. */
  readonly outlives: boolean;
  bus(): Promise<WorkBus>;
  /** Writes a file with `write` and uploads it. Concurrent calls for the same object upload it only once. */
  putOnce(object: string, write: (file: string) => Promise<void>): Promise<void>;
  /** Runs `use` with a temporary folder that is deleted afterwards. */
  withFolder<T>(use: (folder: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface RemoteWorkOptions extends Pick<RemoteWork, "outlives"> {
  readonly bus: BusAddress;
  readonly home: string;
  readonly clock: Clock;
}

export function createRemoteWork(options: RemoteWorkOptions): RemoteWork {
  const { bus, home, clock } = options;
  let opened: Promise<WorkBus> | undefined;
  const put = new Map<string, Promise<void>>();

  const open = () => {
    opened ??= loadWorkBus()
      .then((openBus) => openBus({ bus, clock }))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };

  const withFolder: RemoteWork["withFolder"] = async (use) => {
    const parent = join(home, "work");
    await makeFolder(parent);
    const folder = await mkdtemp(join(parent, "files-"));
    try {
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const upload = (object: string, write: (file: string) => Promise<void>) =>
    withFolder(async (folder) => {
      const file = join(folder, "file");
      await write(file);
      await (await open()).files.put(object, file);
    });

  return {
    leaseMs: bus.leaseMs ?? 10_000,
    workerWaitMs: bus.workerWaitMs ?? 120_000,
    leadWaitMs: bus.leadWaitMs ?? 3_600_000,
    outlives: options.outlives,
    bus: open,
    withFolder,
    putOnce(object, write) {
      const known =
        put.get(object) ??
        upload(object, write).catch((error: unknown) => {
          put.delete(object);
          throw error;
        });
      put.set(object, known);
      return known;
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
