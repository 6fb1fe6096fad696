import { realpathSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { hasErrorCode, isInside } from "../platform/index.ts";
import { importsIn } from "./context-imports.ts";
import { readContextText } from "./read-context-text.ts";

/** A file of instructions as a model is to see it. */
export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

export interface ContextReading {
  readonly files: readonly ContextFile[];
  /** What was left out and why, for people. */
  readonly notices: readonly string[];
}

export interface ContextPlaces {
  /** Real paths from the root of the repository down to the working directory. */
  readonly projectFolders: readonly string[];
  /** `TROUPE_HOME`. */
  readonly home: string;
  readonly userHome: string;
}

/** The instruction files of one session. It remembers what it has given out: nothing is told twice. */
export interface ContextFiles {
  /** The user's own, then the project's, from the most general to the most particular. */
  initial(): ContextReading;
  /** What applies to files that were just read and was not told yet: the instructions of the folders they are in. */
  nested(paths: readonly string[]): ContextReading;
}

const sharedNames = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md"];
const importDepth = 5;
const totalLimit = 200_000;

export function createContextFiles({ projectFolders, home, userHome }: ContextPlaces): ContextFiles {
  const root = projectFolders[0] ?? userHome;
  const told = { paths: new Set<string>(), texts: new Set<string>(), folders: new Set<string>(), size: 0 };

  return {
    initial() {
      const reading = newReading();
      add(reading, { path: join(home, "AGENTS.md"), owner: "user", depth: 0 });
      add(reading, { path: join(userHome, ".claude", "CLAUDE.md"), owner: "user", depth: 0 });
      for (const folder of projectFolders) addFolder(reading, folder);
      return reading;
    },
    nested(paths) {
      const reading = newReading();
      for (const path of paths) for (const folder of foldersAbove(path)) addFolder(reading, folder);
      return reading;
    },
  };

  /** The folders between the project's root and a file, the outermost first; none for a file elsewhere. */
  function foldersAbove(path: string): string[] {
    const folders: string[] = [];
    let folder = realPathOf(dirname(path));
    while (folder !== undefined && isInside(folder, root)) {
      folders.unshift(folder);
      if (folder === root) break;
      folder = dirname(folder);
    }
    return folders;
  }

  function addFolder(reading: Reading, folder: string): void {
    if (told.folders.has(folder)) return;
    told.folders.add(folder);
    for (const name of sharedNames) add(reading, { path: join(folder, name), owner: "project", depth: 0 });
  }

  function add(reading: Reading, { path, owner, depth }: Wanted): void {
    const real = realPathOf(path);
    if (real === undefined || told.paths.has(real)) return;
    if (!mayRead(real, owner)) {
      reading.notices.push(`${path} is left out: it leads to ${real}, outside the project`);
      return;
    }
    told.paths.add(real);
    const { text, notice } = readContextText(path);
    if (notice !== undefined) reading.notices.push(notice);
    if (text === undefined || text.trim() === "" || told.texts.has(text.trim())) return;
    told.texts.add(text.trim());
    if (told.size + text.length > totalLimit) {
      reading.notices.push(`${path} is left out: there are more than ${totalLimit / 1000} kB of instructions already`);
      return;
    }
    told.size += text.length;
    const { imports, nothingElse } = importsIn(text, { folder: dirname(path), userHome });
    if (!nothingElse) reading.files.push({ path, text });
    for (const wanted of imports) {
      if (depth >= importDepth)
        reading.notices.push(`${path}: @${wanted.written} is left out: imports go ${importDepth} deep`);
      else if (realPathOf(wanted.path) !== undefined) add(reading, { path: wanted.path, owner, depth: depth + 1 });
      else if (wanted.isPlain) reading.notices.push(`${path}: @${wanted.written} is not there`);
    }
  }

  /**
   * A repository must not be able to have the user's private files read: it gets at its own, and at what the user wrote for
   * agents. The user's files may import anything of the user's.
   */
  function mayRead(real: string, owner: Wanted["owner"]): boolean {
    if (isInside(real, root)) return owner === "user" || !isInside(real, join(root, ".git"));
    if (owner === "user")
      return isInside(real, realPathOf(userHome) ?? userHome) || isInside(real, realPathOf(home) ?? home);
    const forAgents = [home, join(userHome, ".claude")].map((folder) => realPathOf(folder) ?? folder);
    return extname(real) === ".md" && forAgents.some((folder) => isInside(real, folder));
  }
}

interface Wanted {
  readonly path: string;
  readonly owner: "user" | "project";
  readonly depth: number;
}

interface Reading extends ContextReading {
  readonly files: ContextFile[];
  readonly notices: string[];
}

const newReading = (): Reading => ({ files: [], notices: [] });

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}
