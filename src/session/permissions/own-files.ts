import { existsSync } from "node:fs";
import type { PermissionDecision } from "../../protocol/index.ts";
import { isRestorable } from "./file-facts.ts";

export interface OwnFiles {
  /** The paths that the agent has written, when nothing of others was lost by it. */
  readonly written: ReadonlySet<string>;
  /** The paths that hold moved files of others. */
  readonly foreign: ReadonlySet<string>;
  /** Remembers a file that the agent changes, unless that loses what git cannot restore. */
  noteWrite(path: string): Promise<void>;
  /** Remembers the changes of a command that was allowed. */
  noteChanges(changes: Extract<PermissionDecision, { behavior: "allow" }>["changes"]): void;
}

/** Remembers which files of a shared folder are an agent's own. */
export function createOwnFiles(place: {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}): OwnFiles {
  const written = new Set<string>();
  const foreign = new Set<string>();
  const own = (path: string) => {
    written.add(path);
    foreign.delete(path);
  };
  return {
    written,
    foreign,
    async noteWrite(path) {
      if (written.has(path) && !foreign.has(path)) return;
      if (!existsSync(path) || (await isRestorable(path, place))) own(path);
    },
    noteChanges(changes) {
      for (const path of changes?.writes ?? []) own(path);
      for (const path of changes?.foreign ?? []) foreign.add(path);
    },
  };
}
