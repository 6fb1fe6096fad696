import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasErrorCode, makeFolder } from "../../platform/index.ts";
import { type AgentDefinition, TroupeError } from "../../protocol/index.ts";
import { visibleText } from "../../view/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

type AgentWithMemory = Pick<AgentDefinition, "name" | "memory" | "tools">;

/** The notes of an agent type, as its `MEMORY.md` has them now. */
export interface AgentMemory {
  /** An existing folder: a real, absolute path. */
  readonly folder: string;
  readonly text: string | undefined;
  /** A note about the lines that `text` leaves out. */
  readonly cut: string | undefined;
  readonly notices: readonly string[];
}

const sizeLimit = 25_000;
const linesLimit = 200;

/** Returns the notes folder of an agent type, or undefined if the type keeps no notes. */
export function memoryFolder({ name, memory }: AgentWithMemory, places: DiscoveryFolders): string | undefined {
  if (memory === undefined) return undefined;
  const { base, parts } = memoryPlace({ name, memory }, places);
  return join(base, ...parts);
}

/** Creates the folder if needed and reads the notes. Returns `problem` if the folder cannot be used. */
export async function openAgentMemory(
  { name, memory }: AgentWithMemory,
  places: DiscoveryFolders,
): Promise<AgentMemory | { readonly problem: string } | undefined> {
  if (memory === undefined) return undefined;
  const { base, parts } = memoryPlace({ name, memory }, places);
  try {
    if (memory === "user") await makeFolder(base);
    const folder = makeFolderWithin(realpathSync(base), parts, memory === "user" ? 0o700 : 0o777);
    if (memory === "local") await excludeFromGit(dirname(folder));
    return { folder, ...readNotes(join(folder, "MEMORY.md")) };
  } catch (error) {
    if (!TroupeError.is(error) && !isFileError(error)) throw error;
    return { problem: `the agent's memory is ignored: ${error.message}` };
  }
}

/**
 * Returns the tool entries that let an agent keep its notes, limited to its notes folder. Empty if the definition does
 * not list its tools. `disallowedTools` still applies.
 */
export function memoryEntries({ tools }: Pick<AgentDefinition, "tools">, folder: string): readonly string[] {
  if (tools === undefined || tools.includes("*")) return [];
  const pattern = `/${folder.replace(/[*?[{\\]/g, "\\$&")}/**`;
  return ["Read", "Write", "Edit"].map((tool) => `${tool}(${pattern})`);
}

function memoryPlace(
  { name, memory }: AgentWithMemory,
  places: DiscoveryFolders,
): { base: string; parts: readonly string[] } {
  if (memory === "user") return { base: places.home, parts: ["agent-memory", name] };
  const kind = memory === "local" ? "agent-memory-local" : "agent-memory";
  return { base: mainCheckout(places.projectFolders[0] ?? places.userHome), parts: [".troupe", kind, name] };
}

/**
 * Returns the main working tree of a linked worktree: notes must survive the worktree. The `.git` file is trusted only
 * if the repository that it names points back to it.
 */
function mainCheckout(top: string): string {
  const file = join(top, ".git");
  const admin = lineOf(file, /^gitdir: (.+)$/m);
  if (admin === undefined) return top;
  const folder = resolve(top, admin);
  const back = lineOf(join(folder, "gitdir"), /^(.+)$/m);
  const common = dirname(dirname(folder));
  const isLinked = basename(dirname(folder)) === "worktrees" && basename(common) === ".git";
  return isLinked && back !== undefined && resolve(folder, back) === file ? dirname(common) : top;
}

function lineOf(path: string, pattern: RegExp): string | undefined {
  try {
    return lstatSync(path).isFile() ? pattern.exec(readFileSync(path, "utf8"))?.[1]?.trim() : undefined;
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

/** Creates each folder in turn and refuses links: a repository could point a link anywhere. */
function makeFolderWithin(base: string, parts: readonly string[], mode: number): string {
  let folder = base;
  for (const part of parts) {
    folder = join(folder, part);
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
    if (!lstatSync(folder).isDirectory()) throw new TroupeError("storage", `${folder} is a link or not a folder`);
  }
  return folder;
}

async function excludeFromGit(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}

function readNotes(path: string): Omit<AgentMemory, "folder"> {
  const none = { text: undefined, cut: undefined };
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    return { ...none, notices: [`${path} is ignored: it is a link`] };
  const file = readBoundedFile(path, sizeLimit);
  if (file.kind === "absent") return { ...none, notices: [] };
  if (file.kind === "unreadable") return { ...none, notices: [`${path} is ignored: ${file.reason}`] };
  if (file.bytes.includes(0)) return { ...none, notices: [`${path} is ignored: it is not a text file`] };
  const decoded = visibleText(new TextDecoder().decode(file.bytes)).replaceAll("\r\n", "\n");
  const lines = decoded.trimEnd().split("\n");
  const isLong = file.size > file.bytes.length;
  // The last line may be cut in the middle of a line or a character.
  const whole = isLong && lines.length > 1 ? lines.slice(0, -1) : lines;
  const shown = whole.slice(0, linesLimit);
  const isCut = isLong || whole.length > shown.length;
  const cut = `[Cut: these are the first ${shown.length} lines of MEMORY.md, which has ${file.size} bytes. Read the rest when you need it, and shorten the file.]`;
  return { text: shown.join("\n"), cut: isCut ? cut : undefined, notices: [] };
}

const isFileError = (error: unknown): error is Error =>
  hasErrorCode(
    error,
    "EACCES",
    "EPERM",
    "EROFS",
    "ENOSPC",
    "EDQUOT",
    "ENOENT",
    "ENOTDIR",
    "ELOOP",
    "ENAMETOOLONG",
    "EISDIR",
  );
