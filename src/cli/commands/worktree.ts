import { homedir } from "node:os";
import { type ListedWorktree, listWorktrees, pruneWorktrees } from "../../team/index.ts";
import { runWorktreeRemoveHooks } from "../../session/index.ts";
import { createScreen } from "../screen.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadWorktreeContext } from "./worktree-context.ts";

/** Lists the worktrees of agents in this repository, with the changes of each. */
export async function printWorktrees(flags: { json?: boolean }): Promise<number> {
  const { place } = await loadWorktreeContext();
  const { worktrees, problems } = await listWorktrees(place);
  if (flags.json) {
    for (const worktree of worktrees) process.stdout.write(`${JSON.stringify(worktree)}\n`);
  } else {
    const screen = createScreen(process.stdout, process.env);
    if (worktrees.length === 0) screen.line("there are no worktrees of agents");
    for (const worktree of worktrees) {
      screen.line(`${worktree.branch ?? "(no branch)"}  ${summary(worktree)}`, screen.paint.bold);
      screen.field("  folder", worktree.path.replace(homedir(), "~"));
      if (worktree.agentId !== undefined) screen.field("  agent", worktree.agentId);
      if (worktree.base !== undefined) screen.field("  base", worktree.base.slice(0, 12));
      for (const reason of worktree.reasons) screen.field("  holds", reason);
    }
  }
  return printProblems(problems);
}

/** Removes worktrees without changes, undoes unfinished creations, and reports what stays and why. */
export async function pruneAndPrint(flags: { dryRun?: boolean; json?: boolean }): Promise<number> {
  const { place, config } = await loadWorktreeContext();
  const { worktrees, problems: found } = await pruneWorktrees(place, { dryRun: flags.dryRun ?? false });
  const removed = flags.dryRun ? [] : worktrees.filter(({ outcome }) => outcome === "removed");
  const problems = [...found, ...(await runWorktreeRemoveHooks(removed, { config, clock: place.clock }))];
  if (flags.json) {
    for (const worktree of worktrees) process.stdout.write(`${JSON.stringify(worktree)}\n`);
    return printProblems(problems);
  }
  const screen = createScreen(process.stdout, process.env);
  if (worktrees.length === 0) screen.line("there are no worktrees of agents");
  for (const { name, outcome, reasons } of worktrees) {
    const isDryRun = flags.dryRun && outcome !== "live" && outcome !== "kept" ? "would be " : "";
    screen.paragraph(`${name}: ${isDryRun}${outcome}${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`);
  }
  const failed = worktrees.some(({ outcome }) => outcome === "failed");
  return failed ? exitCodes.failed : printProblems(problems);
}

function summary({ state, changedFiles, unmerged, mergedInto }: ListedWorktree): string {
  const parts = [
    mergedInto !== undefined && `merged into ${mergedInto}`,
    unmerged > 0 && `${unmerged} commit${unmerged === 1 ? "" : "s"} ahead`,
    changedFiles.length > 0 && `${changedFiles.length} changed file${changedFiles.length === 1 ? "" : "s"}`,
  ];
  return [state, ...parts.filter(Boolean)].join(", ");
}

function printProblems(problems: readonly string[]): number {
  for (const problem of problems) process.stderr.write(`troupe: ${problem}\n`);
  return problems.length === 0 ? exitCodes.done : exitCodes.failed;
}
