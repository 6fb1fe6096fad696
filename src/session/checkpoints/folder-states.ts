import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import {
  closeAll,
  isInside,
  openSnapshots,
  projectName,
  realPathSync,
  repositoryFolder,
  type Snapshots,
} from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";

export type StatesConfig = Pick<Config, "home" | "userHome" | "checkpoints" | "childEnv">;

/** The file states of the folders that the agents of a session work in. */
export interface FolderStates {
  /** Rejects a folder that is too large in any case. */
  of(folder: string): Snapshots;
  close(): Promise<void>;
}

/** `own` is the session's folder for checkpoints. States with the same content are stored once for each folder. */
export function openFolderStates(config: StatesConfig, own: () => Promise<string>): FolderStates {
  const open = new Map<string, Snapshots>();
  const { maxFileBytes = 10_000_000, maxIgnoredBytes = 1_000_000, maxFiles = 100_000 } = config.checkpoints;
  return {
    of(folder) {
      const known = open.get(folder);
      if (known) return known;
      refuseHome(folder, config);
      const snapshots = openSnapshots({
        folder,
        store: join(config.home, "checkpoints", projectName(folder)),
        indexFile: async () =>
          join(await own(), `index-${createHash("sha1").update(folder).digest("hex").slice(0, 16)}`),
        excluded: isInside(config.home, folder) ? [relative(folder, realPathSync(config.home))] : [],
        env: config.childEnv,
        limits: { maxFileBytes, maxIgnoredBytes, maxFiles },
      });
      open.set(folder, snapshots);
      return snapshots;
    },
    close: () => closeAll([...open.values()].map((each) => each.close)),
  };
}

/** The folder whose files are kept for an agent that works here: the whole checkout, or the folder itself. */
export const stateFolderOf = (cwd: string): string => repositoryFolder(cwd) ?? realPathSync(cwd);

function refuseHome(folder: string, { userHome }: StatesConfig): void {
  if (folder !== "/" && folder !== realPathSync(userHome)) return;
  throw new TroupeError(
    "checkpoint",
    `cannot keep the files of ${folder}: it is too large. Work in a folder below it.`,
  );
}
