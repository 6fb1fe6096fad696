import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Repository } from "../worktree/repository.ts";
import { identicalFiles } from "./identical-files.ts";
import type { TouchedPaths } from "./touched-paths.ts";

/** The next step for each kind of file in the way. */
export interface InTheWayAdvice {
  readonly changed: string;
  readonly untracked: string;
}

export const adviceForUser: InTheWayAdvice = {
  changed: "Commit or stash them first.",
  untracked: "Rename or remove them first: git has no copy of them.",
};

export interface WorkingTreeState {
  /** Why nothing can land now, whatever the branches change. */
  readonly reasons: readonly string[];
  /** Uncommitted changes and untracked files that the landing leaves as they are. */
  readonly kept: readonly string[];
  /** Uncommitted files with exactly the content that the landing brings. `isStaged`: the index has it too. */
  readonly identical: readonly IdenticalFile[];
}

export interface IdenticalFile {
  readonly path: string;
  readonly isStaged: boolean;
}

export interface InTheWayOptions {
  /** The commits whose files the landing brings. A file that is identical to one of them is not in the way. */
  readonly results: readonly string[];
  readonly advice?: InTheWayAdvice | undefined;
}

/**
 * Compares the uncommitted files of the working tree with the paths that a landing touches. A changed file there stops
 * the landing, and so does an untracked or ignored one: git would overwrite an ignored file without a word. A file that
 * is identical to what the landing brings stops nothing.
 */
export async function filesInTheWay(
  repository: Repository,
  touched: TouchedPaths,
  { results, advice = adviceForUser }: InTheWayOptions,
): Promise<WorkingTreeState> {
  const { changed, untracked: allUntracked } = await uncommittedFiles(repository);
  const folders = new Set([...touched.all].flatMap(parents));
  // A file in the place of a folder is in the way too.
  const isTouched = (path: string) =>
    folders.has(path) || [path, ...parents(path)].some((part) => touched.all.has(part));
  const inTouched = changed.filter(({ path }) => isTouched(path));
  const conflicts = changed.filter(({ isConflict }) => isConflict).map(({ path }) => path);
  const untrackedThere = await untrackedAt(repository, touched.added);
  // A version that is only in the index would be lost.
  const comparable = inTouched.filter(
    ({ path, isPartlyStaged, isConflict }) => touched.all.has(path) && !isPartlyStaged && !isConflict,
  );
  const compared = [...comparable.map(({ path }) => path), ...untrackedThere.filter((path) => touched.all.has(path))];
  const identical = await identicalFiles(repository, compared, results);
  const stopping = inTouched.map(({ path }) => path).filter((path) => !identical.has(path));
  const untracked = untrackedThere.filter((path) => !identical.has(path));
  // Git names an untracked folder, not the files in it.
  const hasIdentical = (path: string) =>
    identical.has(path) || (path.endsWith("/") && [...identical].some((each) => each.startsWith(path)));
  const operation = await openOperation(repository);
  return {
    reasons: [
      ...(operation === undefined ? [] : [`a ${operation} is not finished. Finish or abort it first.`]),
      ...(operation !== undefined || conflicts.length === 0
        ? []
        : [`conflicts are not resolved (${names(conflicts)}). Resolve them first.`]),
      ...(stopping.length === 0
        ? []
        : [`uncommitted changes are in files that the landing changes too (${names(stopping)}). ${advice.changed}`]),
      ...(untracked.length === 0
        ? []
        : [
            `untracked files are in the way (${names(untracked)}): a branch has files of the same name. ${advice.untracked}`,
          ]),
    ],
    kept: [...changed.map(({ path }) => path), ...allUntracked].filter((path) => !hasIdentical(path)),
    identical: [...identical].map((path) => ({
      path,
      isStaged: comparable.some((each) => each.path === path && each.isStaged),
    })),
  };
}

/** Throws if a file is in the way. Returns the uncommitted files that stay as they are, and the identical ones. */
export async function assertNothingInTheWay(
  repository: Repository,
  touched: TouchedPaths,
  options: InTheWayOptions,
): Promise<Pick<WorkingTreeState, "kept" | "identical">> {
  const { reasons, ...state } = await filesInTheWay(repository, touched, options);
  if (reasons.length > 0) throw new TroupeError("git", inTheWayText(repository, reasons));
  return state;
}

export const inTheWayText = ({ top }: Repository, reasons: readonly string[]) =>
  `cannot land in ${top}: ${reasons.join(" Also, ")} Nothing was changed.`;

export function keptNotices({ kept, identical }: Pick<WorkingTreeState, "kept" | "identical">): string[] {
  const paths = identical.map(({ path }) => path);
  return [
    ...(kept.length === 0 ? [] : [`uncommitted files stay as they are, outside this landing: ${names(kept)}`]),
    ...(paths.length === 0
      ? []
      : [`uncommitted files had the landed content already, and are committed with it: ${names(paths)}`]),
  ];
}

interface ChangedFile {
  readonly path: string;
  readonly isConflict: boolean;
  /** The index differs from HEAD. */
  readonly isStaged: boolean;
  /** The index differs from HEAD and from the file. */
  readonly isPartlyStaged: boolean;
}

async function uncommittedFiles(repository: Repository): Promise<{ changed: ChangedFile[]; untracked: string[] }> {
  const status = await repository.ask([
    "status",
    "--porcelain",
    "-z",
    "--untracked-files=normal",
    "--no-renames",
    "--ignore-submodules=dirty",
  ]);
  const lines = status.split("\0").filter(Boolean);
  return {
    changed: lines
      .filter((line) => !line.startsWith("??"))
      .map((line) => ({
        path: line.slice(3),
        isConflict: /^(U.|.U|AA|DD)/.test(line),
        isStaged: !line.startsWith(" "),
        isPartlyStaged: /^[^ ][^ ]/.test(line),
      })),
    untracked: lines.filter((line) => line.startsWith("??")).map((line) => line.slice(3)),
  };
}

function parents(path: string): string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [...parents(parent), parent];
}

/** The untracked and ignored files in the place of these paths. */
async function untrackedAt(repository: Repository, added: ReadonlySet<string>): Promise<string[]> {
  const places = new Set<string>();
  for (const path of added) {
    const place = [...parents(path), path].find((part) => {
      const kind = kindOf(join(repository.top, part));
      return kind === "file" || (kind === "folder" && part === path);
    });
    if (place !== undefined) places.add(`:(literal)${place}`);
  }
  const listed = [...places];
  const found: string[] = [];
  for (let at = 0; at < listed.length; at += 500) {
    const others = await repository.ask(["ls-files", "--others", "-z", "--", ...listed.slice(at, at + 500)]);
    found.push(...others.split("\0").filter(Boolean));
  }
  return found;
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    return lstatSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** The commit that ends one of these was prepared for the tip before the landing. */
async function openOperation(repository: Repository): Promise<string | undefined> {
  const heads = { MERGE_HEAD: "merge", CHERRY_PICK_HEAD: "cherry-pick", REVERT_HEAD: "revert" };
  for (const [head, operation] of Object.entries(heads)) {
    if ((await repository.git(["rev-parse", "--verify", "--quiet", head])).ok) return operation;
  }
  return undefined;
}

const names = (paths: readonly string[]) =>
  paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");
