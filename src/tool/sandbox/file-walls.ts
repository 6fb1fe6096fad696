import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside, readRegularFileSync, realPathSync, repositoryFolder } from "../../platform/index.ts";
import { absolutePattern, pathTest } from "../permissions/match-rule.ts";
import { staticPrefix } from "../permissions/glob-pattern.ts";
import type { Rule, RuleSet } from "../permissions/permission-rules.ts";
import { isObeyed } from "../permissions/obeyed-files.ts";
import { isSecretPath } from "../permissions/secret-paths.ts";
import { createFolderScan } from "./folder-scan.ts";
import { guardedNames } from "./sandbox-paths.ts";
import { type GitFolders, gitFoldersAt } from "./git-folders.ts";

export interface FileWallOptions {
  /** The folders in which the agent works. Real and absolute. */
  readonly roots: readonly string[];
  /** The main checkout, if the agent works in its own worktree. */
  readonly mainTop?: string | undefined;
  /** The folders that relative rules start from. */
  readonly bases: readonly string[];
  readonly userHome: string;
  /** The rules now. Answers can add allow rules. */
  readonly rules: () => RuleSet;
}

/** The files of the working folders that rules and names set apart. */
export interface FileWalls {
  /**
   * Paths that a Read rule denies, and secrets that no Read rule allows. The files in an agent's own worktree are not
   * secret: they come from git, or the user has copied them for the agent.
   */
  readonly hidden: readonly string[];
  /** Paths that an Edit rule denies, and guarded names below the top of a working folder. */
  readonly readOnly: readonly string[];
  /** Files and folders that other programs and agents obey, at any depth. */
  readonly guarded: readonly string[];
  /** The paths that rules name: at another place they would not match. */
  readonly ruled: readonly string[];
  readonly repositories: readonly GitFolders[];
}

/** Returns a function that finds the files that walls must treat in a special way, as they are now. */
export function createFileWalls({ roots, mainTop, bases, userHome, rules }: FileWallOptions): () => Promise<FileWalls> {
  const test = (rule: Rule, wide: boolean) => {
    const tests = bases.map((base) => pathTest(rule, { base, home: userHome, realPath: realPathSync, wide }));
    return (path: string) => tests.some((matches) => matches(path));
  };
  const { deny } = rules();
  const [unreadable, unwritable] = ["Read", "Edit"].map((tool) =>
    deny.filter((rule) => rule.tool === tool && rule.specifier !== undefined),
  ) as [Rule[], Rule[]];
  const tests = { read: unreadable.map((rule) => test(rule, true)), edit: unwritable.map((rule) => test(rule, true)) };
  const isIn = (list: readonly ((path: string) => boolean)[], path: string) => list.some((matches) => matches(path));

  const isOwn = (path: string) => mainTop !== undefined && isInside(path, roots[0] ?? "/");
  const isGuarded = (path: string) => guardedNames.has(basename(path)) || (isObeyed(basename(path)) && !isOwn(path));
  const scanned = mainTop === undefined ? roots : [...roots, mainTop];
  const scans = scanned.map((root) =>
    createFolderScan({
      root,
      depth: isInside(realPathSync(userHome), root) ? homeDepth : undefined,
      wants: (path, entry) =>
        isIn(tests.read, path) ||
        isIn(tests.edit, path) ||
        isGuarded(path) ||
        (!entry.isDirectory() && isSecretPath(path)),
    }),
  );
  const outside = [...unreadable].flatMap((rule) =>
    bases.flatMap((base) => outsidePaths(rule, { base, home: userHome, roots, matches: test(rule, true) })),
  );

  return async () => {
    const allowed = rules()
      .allow.filter((rule) => rule.tool === "Read" && rule.specifier !== undefined)
      .map((rule) => test(rule, false));
    const found = (await Promise.all(scans.map((scan) => scan()))).flat();
    const denied = found.filter((path) => isIn(tests.read, path));
    const secrets = found.filter(
      (path) => isSecretPath(path) && !isOwn(path) && !isIn(allowed, path) && !isPlainNpmrc(path),
    );
    const dotGits = [
      ...found.filter((path) => basename(path) === ".git"),
      ...roots.flatMap((root) => repositoryFolder(root) ?? []).map((top) => join(top, ".git")),
    ];
    const outsideFiles = await Promise.all(outside.map((list) => list()));
    return {
      hidden: [...denied, ...secrets, ...outsideFiles.flat()],
      readOnly: found.filter((path) => (isIn(tests.edit, path) || isGuarded(path)) && !isLink(path)),
      guarded: found.filter(isGuarded),
      ruled: found.filter((path) => isIn(tests.read, path) || isIn(tests.edit, path)),
      repositories: [...new Set(dotGits)].flatMap((path) => gitFoldersAt(path) ?? []),
    };
  };
}

/** True for the settings of npm in a project, unless they hold a key. */
function isPlainNpmrc(path: string): boolean {
  const text = basename(path) === ".npmrc" ? readRegularFileSync(path) : undefined;
  return text !== undefined && !/_auth|_password/i.test(text);
}

/** A mount would follow the link. Whatever is behind it has its own place. */
const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;

interface OutsideOptions {
  readonly base: string;
  readonly home: string;
  readonly roots: readonly string[];
  readonly matches: (path: string) => boolean;
}

/** How deep a pattern is searched for outside the working folders. */
const outsideDepth = 3;

/** How deep a working folder is read that contains the user's home: it can be very large. */
const homeDepth = 3;

/** Returns how to list the paths outside the working folders that a deny rule names. */
function outsidePaths(rule: Rule, { base, home, roots, matches }: OutsideOptions): (() => Promise<string[]>)[] {
  const pattern = absolutePattern(rule, rule.specifier?.trim() ?? "", { base, home, wide: true });
  if (pattern === undefined) return [];
  const { folder, rest } = staticPrefix(pattern);
  const isInRoots = (path: string) => roots.some((root) => isInside(path, root));
  const real = realPathSync(folder);
  if (/^\*+$/.test(rest)) return isInRoots(real) || real === "/" ? [] : [() => Promise.resolve([real])];
  const path = join(real, rest);
  if (!/[*?[{\\]/.test(rest)) return isInRoots(path) ? [] : [() => Promise.resolve([path])];
  if (real === "/" || isInRoots(real)) return [];
  return [createFolderScan({ root: real, wants: matches, depth: outsideDepth })];
}
