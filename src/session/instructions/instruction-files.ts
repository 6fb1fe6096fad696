import { realpathSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { hasErrorCode, isInside } from "../../platform/index.ts";
import { findImports } from "./instruction-imports.ts";
import { readInstructionText } from "./read-instruction-text.ts";

/** An instruction file as the model sees it. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

export interface InstructionReading {
  readonly files: readonly InstructionFile[];
  /** For the user: ignored files and the reasons. */
  readonly notices: readonly string[];
}

export interface DiscoveryFolders {
  /** Real paths from the root of the repository to the working directory. */
  readonly projectFolders: readonly string[];
  /** The value of `TROUPE_HOME`. */
  readonly home: string;
  readonly userHome: string;
}

/** The instruction files of one session. Each file is returned only once. */
export interface InstructionFiles {
  /** The user's files, then the project's, from the most general to the most specific. */
  initial(): InstructionReading;
  /** New instructions for files that were just read: those of the folders above them. */
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

  /**
   * Returns the folders between the project's root and a file, outermost first. Empty for a file outside the project.
   */
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
      reading.notices.push(`${path} is ignored: it links to ${real}, outside the project`);
      return;
    }
    reported.paths.add(real);
    const { text, notice } = readInstructionText(path);
    if (notice !== undefined) reading.notices.push(notice);
    if (text === undefined || text.trim() === "" || reported.texts.has(text.trim())) return;
    reported.texts.add(text.trim());
    if (reported.size + text.length > totalLimit) {
      reading.notices.push(`${path} is ignored: instructions are limited to ${totalLimit / 1000} kB in total`);
      return;
    }
    reported.size += text.length;
    const { imports, nothingElse } = findImports(text, { folder: dirname(path), userHome });
    if (!nothingElse) reading.files.push({ path, text });
    for (const wanted of imports) {
      if (depth >= importDepth)
        reading.notices.push(
          `${path}: @${wanted.written} is ignored: imports can be nested at most ${importDepth} deep`,
        );
      else if (realPathOf(wanted.path) !== undefined) add(reading, { path: wanted.path, owner, depth: depth + 1 });
      else if (wanted.isPlain) reading.notices.push(`${path}: @${wanted.written} does not exist`);
    }
  }

  /**
   * Prevents a repository from reading the user's private files. Its files may import files of the repository, and the
   * Markdown files that the user wrote for agents. The user's own files may import any file of the user.
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
