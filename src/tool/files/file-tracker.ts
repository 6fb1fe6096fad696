import { resolve } from "node:path";
import { realPathSync } from "../../platform/index.ts";
import type { CallId, StoredEvent } from "../../protocol/index.ts";

/**
 * The files that an agent has read or written. An edit is refused if the agent does not know the file, or knows another
 * version of it.
 */
export interface FileTracker {
  /** `path` is real and absolute. */
  saw(path: string, version: FileVersion): void;
  seen(path: string): FileVersion | undefined;
  /** True if the agent knows a file with this content, such as the same file in another checkout. */
  knowsContent(digest: string): boolean;
  copy(): FileTracker;
}

/** `unknown`: the file was read in an earlier run, and the log does not have its digest. */
export type FileVersion = { readonly digest: string } | "unknown";

export function createFileTracker(known: ReadonlyMap<string, FileVersion> = new Map()): FileTracker {
  const versions = new Map(known);
  return {
    saw: (path, version) => void versions.set(path, version),
    seen: (path) => versions.get(path),
    knowsContent: (digest) => [...versions.values()].some((each) => each !== "unknown" && each.digest === digest),
    copy: () => createFileTracker(versions),
  };
}

const fileTools = new Set(["Read", "Edit", "Write"]);

/** The files that a log names without a digest, because an earlier version of the program wrote it. */
export function filesInOldLog(events: Iterable<StoredEvent>): ReadonlyMap<string, FileVersion> {
  const known = new Map<string, FileVersion>();
  const open = new Map<CallId, string>();
  let cwd = "/";
  for (const event of events) {
    if (event.type === "agent.spawned" || event.type === "agent.changed") cwd = event.cwd ?? cwd;
    if (event.type === "tool.called" && fileTools.has(event.name)) {
      const path = filePathOf(event.input);
      if (path !== undefined) open.set(event.callId, resolve(cwd, path));
    }
    if (event.type === "tool.settled") {
      const path = open.get(event.callId);
      open.delete(event.callId);
      if (path !== undefined && event.outcome === "ok" && !event.files) known.set(realPathSync(path), "unknown");
    }
  }
  return known;
}

function filePathOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("file_path" in input)) return undefined;
  return typeof input.file_path === "string" ? input.file_path : undefined;
}
