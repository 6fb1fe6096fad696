import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import { makeFolder } from "../files/make-folder.ts";
import { type GitOptions, type GitResult, runGit } from "../git/run-git.ts";
import { repositoryFolder } from "../git/git-state.ts";
import { splitNul } from "./byte-path.ts";

export interface SnapshotGitOptions {
  /** The folder whose files are kept. Real and absolute. */
  readonly folder: string;
  /** The git folder of the store. It is created if it does not exist. */
  readonly store: string;
  /** Returns the index file of this process. It remembers which files have not changed. */
  readonly indexFile: () => Promise<string>;
  /** Files and folders that are not kept, relative to the folder. */
  readonly excluded: readonly string[];
  readonly env: GitOptions["env"];
}

/** A path that differs between two trees. `status` is A, D, M or T, from the first tree to the second. */
export interface TreeChange {
  readonly status: string;
  readonly path: string;
}

/** Git with the store, the folder as its working tree, and the own index. */
export interface SnapshotGit {
  /** Creates the store. */
  prepare(): Promise<void>;
  run(args: readonly string[], more?: Omit<GitOptions, "cwd" | "env">): Promise<GitResult>;
  /** Like `run`. Rejects with `checkpoint` if git fails. */
  must(args: readonly string[], more?: Omit<GitOptions, "cwd" | "env">): Promise<GitResult>;
  changes(from: string, to: string): Promise<TreeChange[]>;
  /** True if `update-index` writes many objects to one pack: since 2.37. Before, it would write one pack for each. */
  hasBulkUpdate(): Promise<boolean>;
  /** The options of `ls-files` that exclude ignored files. */
  readonly excludes: readonly string[];
}

export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export function createSnapshotGit(options: SnapshotGitOptions): SnapshotGit {
  const { folder, store, excluded, env } = options;
  let prepared: Promise<void> | undefined;
  let isBulk: Promise<boolean> | undefined;
  const run: SnapshotGit["run"] = async (args, more) =>
    runGit([`--git-dir=${store}`, `--work-tree=${folder}`, ...args], {
      cwd: folder,
      ...(env && { env }),
      indexFile: more?.indexFile ?? (await options.indexFile()),
      timeoutMs,
      limitBytes: 512 * 1024 * 1024,
      ...more,
      settings: { ...settings, ...more?.settings },
    });
  const must: SnapshotGit["must"] = async (args, more) => {
    const result = await run(args, more);
    if (result.ok) return result;
    const reason = result.stderr.trim().split("\n").at(-1) ?? "";
    const why = reason === "" ? `git ${args[0]} did not end in time` : reason;
    throw new TroupeError("checkpoint", `cannot keep the files of ${folder}: ${why}.`);
  };
  return {
    prepare: async () => {
      prepared ??= createStore(store);
      try {
        await prepared;
      } catch (error) {
        prepared = undefined;
        throw error;
      }
    },
    run,
    must,
    hasBulkUpdate: () => (isBulk ??= must(["version"]).then(({ stdout }) => isAtLeast237(stdout))),
    excludes: [...excludesOf(folder), ...excluded.map((path) => `--exclude=/${escapePattern(path)}`)],
    changes: async (from, to) => {
      const parts = splitNul((await must(["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to])).bytes);
      return parts.flatMap((status, at) => (at % 2 === 0 ? [{ status, path: parts[at + 1] ?? "" }] : []));
    },
  };
}

/** A snapshot of a very large folder is abandoned after this time. */
const timeoutMs = 30_000;

/** Files are kept byte for byte: nothing in the folder may convert them. */
const settings: Readonly<Record<string, string>> = {
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.compression": "1",
  "core.createObject": "rename",
  "core.fsync": "none",
  "core.quotePath": "false",
  "core.bare": "false",
  "gc.auto": "0",
};

/** Overrides the attributes of the folder. */
const attributes = "* -text !eol !ident !filter !working-tree-encoding\n";

/** All files are private to the user, whatever the umask is. */
const storeConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tsharedRepository = 0600\n";

/** Writes a bare repository by hand, because `git init` needs a process and copies templates. */
async function createStore(store: string): Promise<void> {
  if (existsSync(join(store, "HEAD"))) return;
  await makeFolder(store);
  for (const folder of ["objects", "refs", "info"]) await mkdir(join(store, folder), { recursive: true, mode: 0o700 });
  await writeFile(join(store, "info", "attributes"), attributes, { mode: 0o600 });
  await writeFile(join(store, "config"), storeConfig, { mode: 0o600 });
  await writeFile(join(store, "HEAD"), "ref: refs/heads/none\n", { mode: 0o600 });
}

function isAtLeast237(version: string): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37);
}

function excludesOf(folder: string): string[] {
  const top = repositoryFolder(folder);
  const file = top === undefined ? undefined : join(top, ".git", "info", "exclude");
  return ["--exclude-standard", ...(file !== undefined && existsSync(file) ? [`--exclude-from=${file}`] : [])];
}

const escapePattern = (path: string): string => path.replace(/[\\*?[\]]/g, "\\$&");
