import { realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { hasErrorCode, isInside } from "../../platform/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { readInstructionText } from "../instructions/read-instruction-text.ts";

export interface CommandFolder {
  readonly path: string;
  readonly owner: "project" | "user";
}

/**
 * Where files of one kind (`skills`, `commands`) can be, the strongest first: the project's before the user's, `.troupe`
 * before `.claude`, the nearer folder before the farther. A folder that is both is the user's.
 */
export function findCommandFolders(kind: string, places: DiscoveryFolders): CommandFolder[] {
  const user = [join(places.home, kind), join(places.userHome, ".claude", kind)];
  const project = [".troupe", ".claude"].flatMap((name) =>
    places.projectFolders.map((folder) => join(folder, name, kind)).toReversed(),
  );
  return [
    ...project.filter((path) => !user.includes(path)).map((path) => ({ path, owner: "project" }) as const),
    ...user.map((path) => ({ path, owner: "user" }) as const),
  ];
}

export type OwnedText =
  | { readonly text: string; readonly real: string; readonly notice?: string }
  | { readonly notice?: string };

/**
 * The text of such a file. A repository's file must not lead out of the repository: a link to a private file of the user's
 * would have it read aloud. What the user has written for agents it may link to.
 */
export function readOwnedText(path: string, owner: CommandFolder["owner"], places: DiscoveryFolders): OwnedText {
  const real = realPathOf(path);
  if (real === undefined) return {};
  if (owner === "project" && !isProjectFile(real, places)) {
    return { notice: `${path} is left out: it leads to ${real}, outside the project` };
  }
  const { text, notice } = readInstructionText(real);
  const withNotice = notice === undefined ? {} : { notice };
  return text === undefined ? withNotice : { text, real, ...withNotice };
}

function isProjectFile(real: string, { projectFolders, home, userHome }: DiscoveryFolders): boolean {
  const root = projectFolders[0] ?? userHome;
  if (isInside(real, root)) return !isInside(real, join(root, ".git"));
  const agentFolders = [home, join(userHome, ".claude")].map((folder) => realPathOf(folder) ?? folder);
  return extname(real) === ".md" && agentFolders.some((folder) => isInside(real, folder));
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}
