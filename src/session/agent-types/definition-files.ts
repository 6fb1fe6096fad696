import { join } from "node:path";
import type { AgentProblem } from "../../agent/definitions/index.ts";
import type { AgentSource } from "../../protocol/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { listFolder } from "../files/list-folder.ts";
import { findCommandFolders, readOwnedText } from "../slash-commands/command-folders.ts";

/** The folders to search for definitions, in addition to those of the project and the user. */
export interface DefinitionFolders extends DiscoveryFolders {
  /** The administrator's folder. */
  readonly managedAgents: string;
  /** Plugin folders, each with an `agents/` folder. */
  readonly plugins: readonly string[];
}

export interface AgentFile {
  readonly path: string;
  readonly text: string;
  readonly level: Exclude<AgentSource["level"], "flag" | "built-in">;
  readonly place: string;
}

const filesLimit = 500;
const depthLimit = 4;

export interface AgentFiles {
  readonly files: readonly AgentFile[];
  readonly problems: readonly AgentProblem[];
}

/** Returns every definition file, highest precedence first, and the problems of files that cannot be read. */
export const agentFiles = (places: DefinitionFolders): AgentFiles =>
  readFolders(
    [
      { place: places.managedAgents, level: "managed" },
      ...sharedFolders(places),
      ...places.plugins.map((folder) => ({ place: join(folder, "agents"), level: "plugin" }) as const),
    ],
    places,
  );

/** Like `agentFiles`, for the project's folders only. */
export const projectAgentFiles = (places: DiscoveryFolders): AgentFiles =>
  readFolders(
    sharedFolders(places).filter(({ level }) => level === "project"),
    places,
  );

const sharedFolders = (places: DiscoveryFolders): AgentFolder[] =>
  findCommandFolders("agents", places).map(({ path, owner }) => ({ place: path, level: owner }));

type AgentFolder = Pick<AgentFile, "place" | "level">;

function readFolders(folders: readonly AgentFolder[], places: DiscoveryFolders): AgentFiles {
  const files: AgentFile[] = [];
  const problems: AgentProblem[] = [];
  const seen = new Set<string>();
  for (const { place, level } of folders) {
    const paths = markdownFiles(place, depthLimit);
    if (paths.length > filesLimit) {
      const message = `it has ${paths.length} files; only the first ${filesLimit} are read`;
      problems.push({ severity: "warning", from: place, message });
    }
    for (const path of paths.slice(0, filesLimit)) {
      const read = readOwnedText(path, level === "project" ? "project" : "user", places);
      const isRead = "text" in read;
      if (read.notice !== undefined) problems.push(withNotices(path, read.notice, isRead ? "warning" : "error"));
      if (!isRead || seen.has(read.real)) continue;
      seen.add(read.real);
      files.push({ path, text: read.text, level, place });
    }
  }
  return { files, problems };
}

function markdownFiles(folder: string, depth: number): string[] {
  return listFolder(folder).flatMap(({ name, path, isFolder }) => {
    if (isFolder) return depth > 1 && name !== "node_modules" ? markdownFiles(path, depth - 1) : [];
    return name.endsWith(".md") ? [path] : [];
  });
}

const withNotices = (path: string, notice: string, severity: AgentProblem["severity"]): AgentProblem => ({
  severity,
  from: path,
  message: notice.startsWith(path) ? notice.slice(path.length).replace(/^:? /, "") : notice,
});
