import { realpathSync } from "node:fs";
import { extname, join } from "node:path";
import { hasErrorCode, isInside } from "../platform/index.ts";
import type { ContextPlaces } from "./context-files.ts";
import { readContextText } from "./read-context-text.ts";

export interface MarkdownFolder {
  readonly path: string;
  readonly owner: "project" | "user";
}

/**
 * Where files of one kind (`skills`, `commands`) can be, the strongest first: the project's before the user's, `.troupe`
 * before `.claude`, the nearer folder before the farther. A folder that is both is the user's.
 */
export function markdownFolders(kind: string, places: ContextPlaces): MarkdownFolder[] {
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
export function readOwnedText(path: string, owner: MarkdownFolder["owner"], places: ContextPlaces): OwnedText {
  const real = realPathOf(path);
  if (real === undefined) return {};
  if (owner === "project" && !isProjects(real, places)) {
    return { notice: `${path} is left out: it leads to ${real}, outside the project` };
  }
  const { text, notice } = readContextText(real);
  const told = notice === undefined ? {} : { notice };
  return text === undefined ? told : { text, real, ...told };
}

function isProjects(real: string, { projectFolders, home, userHome }: ContextPlaces): boolean {
  const root = projectFolders[0] ?? userHome;
  if (isInside(real, root)) return !isInside(real, join(root, ".git"));
  const forAgents = [home, join(userHome, ".claude")].map((folder) => realPathOf(folder) ?? folder);
  return extname(real) === ".md" && forAgents.some((folder) => isInside(real, folder));
}

export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) return undefined;
    throw error;
  }
}
