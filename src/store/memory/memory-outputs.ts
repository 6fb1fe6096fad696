import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, safeName } from "../../platform/index.ts";
import { realFolder } from "../real-folder.ts";
import { writeToFreeName } from "../write-to-free-name.ts";
import type { MemoryIo } from "./memory-io.ts";

/** Where a session in memory has its outputs and folders. */
export interface SessionOutputs {
  save(name: string, data: string | Uint8Array): Promise<string>;
  folder(): string;
  /** Undefined while nothing needed the folder. */
  readonly used: string | undefined;
  scratchpad(): Promise<string>;
  close(): Promise<void>;
}

/** A real folder for programs and tools, from the first use until the session closes. */
export function openTemporaryOutputs(): SessionOutputs {
  let used: string | undefined;
  const folder = () => (used ??= realpathSync(mkdtempSync(join(tmpdir(), "troupe-"))));
  return {
    folder,
    get used() {
      return used;
    },
    save: (name, data) => writeToFreeName(join(folder(), safeName(name)), { data }),
    scratchpad: async () => realFolder(await makeFolder(join(folder(), "scratchpad"))),
    close: async () => {
      if (used !== undefined) await rm(used, { recursive: true, force: true });
    },
  };
}

/** Paths and content in memory only. They stay for the next opener of the session. */
export function openMemoryOutputs(
  folder: string,
  { io, saved }: { readonly io: MemoryIo; readonly saved: Map<string, string | Uint8Array> },
): SessionOutputs {
  return {
    folder: () => folder,
    used: folder,
    save: (name, data) =>
      io.turn((append) => {
        const path = join(folder, safeName(name));
        let free = path;
        for (let count = 2; saved.has(free); count++) free = `${path}-${count}`;
        append(free, [data], (stored) => saved.set(free, stored));
        return free;
      }),
    scratchpad: async () => join(folder, "scratchpad"),
    close: async () => undefined,
  };
}
