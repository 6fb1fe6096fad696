import { realpathSync, statSync } from "node:fs";
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

/** The instruction files of one session. */
export interface InstructionFiles {
  /** The user's files, then the project's, from the most general to the most specific. Every agent knows them. */
  initial(): InstructionReading;
  /** The instructions that one agent knows. Call it after `initial`. */
  forAgent(): AgentInstructions;
}

/** The instructions that one agent knows. Each file is returned only once, until they are forgotten. */
export interface AgentInstructions {
  /**
   * New instructions for a file or folder that the agent has just touched: those of the folders above it, up to the
   * project's root or the agent's own folder.
   */
  enter(path: string, ownFolder: string): InstructionReading;
  /** All files that `enter` ever returned. */
  told(): readonly InstructionFile[];
  /** The conversation that had them is gone: `enter` returns them again. */
  forget(): void;
  /** For a fork, whose conversation starts with this agent's. */
  copy(): AgentInstructions;
}

const sharedNames = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md"];
const importDepth = 5;
const totalLimit = 200_000;

export function createInstructionFiles(folders: DiscoveryFolders): InstructionFiles {
  const { projectFolders, home, userHome } = folders;
  const root = projectFolders[0] ?? userHome;
  const initial = nothingKnown();

  return {
    initial() {
      const reader = createReader(initial, { ...folders, root });
      reader.add({ path: join(home, "AGENTS.md"), owner: "user", depth: 0 });
      reader.add({ path: join(userHome, ".claude", "CLAUDE.md"), owner: "user", depth: 0 });
      for (const folder of projectFolders) reader.addFolder(folder);
      return reader.reading;
    },
    forAgent: () => instructionsOfAgent(copyOf(initial), []),
  };

  function instructionsOfAgent(start: Known, toldBefore: readonly InstructionFile[]): AgentInstructions {
    let known = start;
    const told = new Map(toldBefore.map((file) => [file.path, file]));
    return {
      enter(path, ownFolder) {
        const own = realPathOf(ownFolder);
        const within = own !== undefined && !isInside(own, root) ? own : root;
        const reader = createReader(known, { ...folders, root: within });
        for (const folder of foldersAbove(path, within)) reader.addFolder(folder);
        for (const file of reader.reading.files) told.set(file.path, file);
        return reader.reading;
      },
      told: () => [...told.values()],
      forget() {
        known = copyOf(initial);
      },
      copy: () => instructionsOfAgent(copyOf(known), [...told.values()]),
    };
  }
}

/** The files, texts and folders that an agent knows, so that it reads none of them twice. */
interface Known {
  readonly paths: Set<string>;
  readonly texts: Set<string>;
  readonly folders: Set<string>;
  size: number;
}

const nothingKnown = (): Known => ({ paths: new Set(), texts: new Set(), folders: new Set(), size: 0 });
const copyOf = ({ paths, texts, folders, size }: Known): Known => ({
  paths: new Set(paths),
  texts: new Set(texts),
  folders: new Set(folders),
  size,
});

interface Wanted {
  readonly path: string;
  readonly owner: "user" | "project";
  readonly depth: number;
}

function createReader(known: Known, { root, home, userHome }: { root: string; home: string; userHome: string }) {
  const files: InstructionFile[] = [];
  const notices: string[] = [];
  return { reading: { files, notices }, add, addFolder };

  function addFolder(folder: string): void {
    if (known.folders.has(folder)) return;
    known.folders.add(folder);
    for (const name of sharedNames) add({ path: join(folder, name), owner: "project", depth: 0 });
  }

  function add({ path, owner, depth }: Wanted): void {
    const real = realPathOf(path);
    if (real === undefined || known.paths.has(real)) return;
    if (!canRead(real, owner)) {
      notices.push(`${path} is ignored: it links to ${real}, outside the project`);
      return;
    }
    known.paths.add(real);
    const { text, notice } = readInstructionText(path);
    if (notice !== undefined) notices.push(notice);
    if (text === undefined || text.trim() === "" || known.texts.has(text.trim())) return;
    known.texts.add(text.trim());
    if (known.size + text.length > totalLimit) {
      notices.push(`${path} is ignored: instructions are limited to ${totalLimit / 1000} kB in total`);
      return;
    }
    known.size += text.length;
    const { imports, nothingElse } = findImports(text, { folder: dirname(path), userHome });
    if (!nothingElse) files.push({ path, text });
    for (const wanted of imports) {
      if (depth >= importDepth)
        notices.push(`${path}: @${wanted.written} is ignored: imports can be nested at most ${importDepth} deep`);
      else if (realPathOf(wanted.path) !== undefined) add({ path: wanted.path, owner, depth: depth + 1 });
      else if (wanted.isPlain) notices.push(`${path}: @${wanted.written} does not exist`);
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

/** Returns the folders from `root` down to a file or folder. Empty for one outside `root`. */
function foldersAbove(path: string, root: string): string[] {
  const folders: string[] = [];
  const real = realPathOf(path);
  let folder = real !== undefined && statSync(real).isDirectory() ? real : realPathOf(dirname(path));
  while (folder !== undefined && isInside(folder, root)) {
    folders.unshift(folder);
    if (folder === root) break;
    folder = dirname(folder);
  }
  return folders;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}
