import { realpathSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { hasErrorCode, isInside } from "../../platform/index.ts";
import { findImports } from "./instruction-imports.ts";
import { readInstructionText } from "./read-instruction-text.ts";

/** A file of instructions as a model is to see it. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

export interface InstructionReading {
  readonly files: readonly InstructionFile[];
  /** What was left out and why, for people. */
  readonly notices: readonly string[];
}

export interface DiscoveryFolders {
  /** Real paths from the root of the repository down to the working directory. */
  readonly projectFolders: readonly string[];
  /** `TROUPE_HOME`. */
  readonly home: string;
  readonly userHome: string;
}

/** The instruction files of one session. It remembers what it has given out: nothing is told twice. */
export interface InstructionFiles {
  /** The user's own, then the project's, from the most general to the most particular. */
  initial(): InstructionReading;
  /** What applies to files that were just read and was not told yet: the instructions of the folders they are in. */
  nested(paths: readonly string[]): InstructionReading;
}

const sharedNames = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md"];
const importDepth = 5;
const totalLimit = 200_000;

export function createInstructionFiles({ projectFolders, home, userHome }: DiscoveryFolders): InstructionFiles {
  const root = projectFolders[0] ?? userHome;
  const reported = { paths: new Set<string>(), texts: new Set<string>(), folders: new Set<string>(), size: 0 };

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
    if (reported.folders.has(folder)) return;
    reported.folders.add(folder);
    for (const name of sharedNames) add(reading, { path: join(folder, name), owner: "project", depth: 0 });
  }

  function add(reading: Reading, { path, owner, depth }: Wanted): void {
    const real = realPathOf(path);
    if (real === undefined || reported.paths.has(real)) return;
    if (!canRead(real, owner)) {
      reading.notices.push(`${path} is left out: it leads to ${real}, outside the project`);
      return;
    }
    reported.paths.add(real);
    const { text, notice } = readInstructionText(path);
    if (notice !== undefined) reading.notices.push(notice);
    if (text === undefined || text.trim() === "" || reported.texts.has(text.trim())) return;
    reported.texts.add(text.trim());
    if (reported.size + text.length > totalLimit) {
      reading.notices.push(`${path} is left out: there are more than ${totalLimit / 1000} kB of instructions already`);
      return;
    }
    reported.size += text.length;
    const { imports, nothingElse } = findImports(text, { folder: dirname(path), userHome });
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
  function canRead(real: string, owner: Wanted["owner"]): boolean {
    if (isInside(real, root)) return owner === "user" || !isInside(real, join(root, ".git"));
    if (owner === "user")
      return isInside(real, realPathOf(userHome) ?? userHome) || isInside(real, realPathOf(home) ?? home);
    const agentFolders = [home, join(userHome, ".claude")].map((folder) => realPathOf(folder) ?? folder);
    return extname(real) === ".md" && agentFolders.some((folder) => isInside(real, folder));
  }
}

interface Wanted {
  readonly path: string;
  readonly owner: "user" | "project";
  readonly depth: number;
}

interface Reading extends InstructionReading {
  readonly files: InstructionFile[];
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
