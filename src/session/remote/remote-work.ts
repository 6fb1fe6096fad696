import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, type Clock } from "../../platform/index.ts";
import { type BusAddress, loadWorkBus, type WorkBus } from "../../store/index.ts";

/** Where a session's agents on other machines are run; connected with the first of them. */
export interface RemoteWork {
  readonly leaseMs: number;
  /** How long a job may wait for a worker, or for another one. */
  readonly workerWaitMs: number;
  /** How long a worker goes on without a word of this session. */
  readonly leadWaitMs: number;
  /** Agents may go on when the session ends, since it can be resumed. */
  readonly outlives: boolean;
  bus(): Promise<WorkBus>;
  /** Brings a file to the bus, made by `write`: once, however many ask for it at the same time. */
  putOnce(object: string, write: (file: string) => Promise<void>): Promise<void>;
  /** A folder for files on their way, which is gone afterwards. */
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
