import { mkdirSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod";
import type { Clock } from "../../src/platform/index.ts";
import { recreatedWorktreeText, type WorktreeFacts } from "../../src/agent/index.ts";
import { TroupeError } from "../../src/protocol/index.ts";
import type { Worktree, WorktreeEngine } from "../../src/team/index.ts";
import { defineTool, failedResult, textResult } from "../../src/tool/index.ts";
import type { Random } from "../random.ts";

/** A repository in memory, with worktrees and one branch for each. Commits are only counted. */
export interface MemoryRepository {
  /** A process with this clock uses the worktrees. */
  open(clock: Pick<Clock, "sleep">): WorktreeEngine;
  /** A file was written by an agent that works in this folder. */
  write(folder: string, file: string): void;
  /** Commits all files of this folder. False if there is nothing to commit. */
  commit(folder: string): boolean;
  land(branch: string): "landed" | "nothing new" | "unknown";
  /** The folder is lost with the files that were not committed. Its branch stays. */
  loseFolder(path: string): void;
  /** All worktrees that exist. */
  trees(): readonly MemoryTree[];
}

export interface MemoryTree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly checkout: string;
  /** Commits that main does not have. */
  commits: number;
  landed: number;
  readonly uncommitted: Set<string>;
  /** The files of its last commit, if the engine committed them for an agent that was over. */
  left: string[];
}

const base = "0".repeat(40);

export function createMemoryRepository(checkout: string, random: Random): MemoryRepository {
  const trees = new Map<string, MemoryTree>();
  /** Branches whose folder is lost. */
  const branches = new Map<string, MemoryTree>();

  const opened = (tree: MemoryTree, recreated?: string): Worktree => {
    const { name, path, branch } = tree;
    const facts: WorktreeFacts = {
      path,
      branch,
      baseCommit: base,
      baseBranch: "main",
      checkout,
      ignored: { copied: [], linked: [], setup: undefined },
      recreated,
    };
    return { name, path, branch, base, env: {}, facts, notices: [] };
  };
  const add = (name: string, commits = 0, landed = 0): MemoryTree => {
    const path = `${checkout}.troupe/${name}`;
    // Permission checks look at the folder. All runs use the same few.
    mkdirSync(path, { recursive: true });
    const tree = {
      name,
      path,
      branch: `troupe/${name}`,
      checkout,
      commits,
      landed,
      uncommitted: new Set<string>(),
      left: [],
    };
    trees.set(path, tree);
    return tree;
  };
  const named = (name: string) => [...trees.values()].find((tree) => tree.name === name);

  const land: MemoryRepository["land"] = (branch) => {
    const tree = [...trees.values(), ...branches.values()].find((each) => each.branch === branch);
    if (!tree) return "unknown";
    if (tree.commits === 0) return "nothing new";
    tree.left = [];
    tree.landed += tree.commits;
    tree.commits = 0;
    return "landed";
  };

  const open = (clock: Pick<Clock, "sleep">): WorktreeEngine => ({
    async create(_, { label }) {
      await clock.sleep(random.int(100, 3_000));
      let count = 0;
      const name = () => `${label}-${String(count).padStart(4, "0")}`;
      while (named(name()) || branches.has(`troupe/${name()}`)) count += 1;
      return opened(add(name()));
    },
    async resume(_, name) {
      await clock.sleep(random.int(10, 300));
      const tree = named(name);
      if (tree && tree.left.length > 0) {
        for (const file of tree.left.splice(0)) tree.uncommitted.add(file);
        tree.commits -= 1;
      }
      return tree && opened(tree);
    },
    async recreate(_, { path, branch }) {
      await clock.sleep(random.int(100, 3_000));
      const lost = branches.get(branch);
      branches.delete(branch);
      const tree = add(basename(path), lost?.commits, lost?.landed);
      const { facts } = opened(tree);
      return opened(tree, recreatedWorktreeText(facts, lost ? "kept" : "new"));
    },
    async finish(_, { name, endedAgent }) {
      await clock.sleep(random.int(10, 300));
      const tree = named(name);
      if (!tree) throw new TroupeError("git", `there is no worktree ${name}`);
      if (endedAgent !== undefined && tree.uncommitted.size > 0) {
        tree.left = [...tree.uncommitted];
        tree.uncommitted.clear();
        tree.commits += 1;
      }
      const { path, branch, commits, landed, uncommitted } = tree;
      if (commits > 0 || uncommitted.size > 0)
        return { outcome: "kept", reasons: ["it has work"], path, branch, rescued: [] };
      trees.delete(path);
      return { outcome: "removed", rescued: [], landed: landed > 0 ? { commits: landed, target: "main" } : undefined };
    },
    async state(_, path) {
      await clock.sleep(random.int(5, 100));
      const tree = trees.get(path);
      if (!tree) return undefined;
      return { path, branch: tree.branch, target: "main", commits: tree.commits, uncommitted: [...tree.uncommitted] };
    },
    isOwn: async (_, { path }) => trees.has(path),
    hasFolder: (path) => trees.has(path),
    diff: async (_, { path }) => `diff: ${trees.get(path)?.commits ?? 0} commits`,
    landTool: ({ place }) =>
      defineTool({
        name: "Land",
        description: "Brings branches of agents to your branch.",
        input: z.strictObject({ branches: z.array(z.string()).min(1) }),
        access: "write",
        subject: () => ({ kind: "path", path: place.cwd, change: true }),
        title: (input) => `Land ${input.branches.join(", ")}`,
        async execute(input, { signal }) {
          await clock.sleep(random.int(1_000, 20_000), signal);
          const lines = input.branches.map((branch) =>
            random.chance(0.15) ? `- ${branch}: conflicts` : `- ${branch}: ${land(branch)}`,
          );
          const text = ["On main:", ...lines].join("\n");
          return lines.every((line) => /landed|nothing new/.test(line)) ? textResult(text) : failedResult(text);
        },
      }),
  });

  return {
    open,
    land,
    trees: () => [...trees.values()],
    write: (folder, file) => void trees.get(folder)?.uncommitted.add(file),
    commit(folder) {
      const tree = trees.get(folder);
      if (!tree || tree.uncommitted.size === 0) return false;
      tree.uncommitted.clear();
      tree.left = [];
      tree.commits += 1;
      return true;
    },
    loseFolder(path) {
      const tree = trees.get(path);
      if (!tree) return;
      trees.delete(path);
      tree.uncommitted.clear();
      branches.set(tree.branch, tree);
    },
  };
}
