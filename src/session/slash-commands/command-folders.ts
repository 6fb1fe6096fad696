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
 * Returns the folders for files of one kind (`skills`, `commands`), highest precedence first: project before user,
 * `.troupe` before `.claude`, nearer folders before farther ones. A folder that is both the project's and the user's
 * counts as the user's.
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
 * Reads such a file. A repository's file must not link to a private file of the user, since that would expose it. It
 * may link to Markdown files that the user wrote for agents.
 */
export function readOwnedText(path: string, owner: CommandFolder["owner"], places: DiscoveryFolders): OwnedText {
  const real = realPathOf(path);
  if (real === undefined) return {};
  if (owner === "project" && !isProjectFile(real, places)) {
    return { notice: `${path} is ignored: it links to ${real}, outside the project` };
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
