import { type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { createConflictAgent, loadAgentDefinitions, loadConfig } from "../../session/index.ts";
import { createFileSessionStore } from "../../store/index.ts";
import {
  land,
  type LandReport,
  type RecoveredLanding,
  type RefusedBranch,
  type ResolveConflict,
  recoverInterruptedLanding,
  type RepositoryContext,
} from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { createScreen, type Screen } from "../screen.ts";
import { listenToSignals } from "../signals.ts";
import { loadWorktreeContext } from "./worktree-context.ts";

export interface LandFlags {
  readonly check?: string;
  /** `true` if no type is given. */
  readonly agent?: boolean | string;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly continue?: boolean;
  readonly abort?: boolean;
}

/** Lands branches on the current branch. Returns exit code 1 if a branch was refused. */
export async function runLand(named: readonly string[], flags: LandFlags): Promise<number> {
  const { type, branches } = await agentFlag(named, flags);
  assertUsage(branches, flags);
  const leaving = new AbortController();
  const leave = () => leaving.abort(new DOMException("left", "AbortError"));
  const signals = listenToSignals({ interrupt: leave, leave });
  const screen = createScreen(process.stdout, process.env);
  try {
    const { place, config } = await loadWorktreeContext(leaving.signal);
    const landOptions =
      flags.continue || flags.abort
        ? await recoverInterruptedLanding(place, { rollBack: flags.abort ?? false })
        : undefined;
    if (flags.abort || (flags.continue && !landOptions)) return reportResult(screen, landOptions, flags);
    const names = landOptions ? remaining(landOptions) : branches;
    if (names.length === 0) return reportResult(screen, landOptions, flags);
    const check = flags.check ?? landOptions?.journal.check ?? config.land.check;
    const printProgress = (line: string) => (flags.json ? undefined : screen.line(line, screen.paint.dim));
    const resolveConflict =
      type === undefined || flags.dryRun ? undefined : conflictAgent(place, { type, flags, printProgress });
    const report = await land(place, {
      branches: names,
      settings: { ...config.land, ...(check !== undefined && { check }) },
      worktree: config.worktree,
      dryRun: flags.dryRun ?? false,
      onProgress: printProgress,
      ...(resolveConflict && { resolveConflict }),
    });
    if (flags.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else printReport(screen, report);
    return report.refused.some(({ reason }) => reason !== "nothing new") ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    process.stderr.write("troupe: stopped; nothing was landed\n");
    return signals.exitCode ?? exitCodes.interrupted;
  } finally {
    signals.stop();
  }
}

/** `--agent WORD` with a word that is not an agent type: the word is the first branch. */
async function agentFlag(
  branches: readonly string[],
  { agent }: LandFlags,
): Promise<{ type: string | undefined; branches: readonly string[] }> {
  if (agent === undefined || agent === false) return { type: undefined, branches };
  if (agent === true) return { type: newAgentType, branches };
  const { agents } = await loadAgentDefinitions(await loadConfig({ cwd: process.cwd(), env: process.env }));
  const isType = agents.some(({ definition }) => definition.name === agent);
  return isType ? { type: agent, branches } : { type: newAgentType, branches: [agent, ...branches] };
}

const newAgentType = "general-purpose";

function conflictAgent(
  place: RepositoryContext,
  { type, flags, printProgress }: { type: string; flags: LandFlags; printProgress(line: string): void },
): ResolveConflict {
  const { home, clock, createId, cwd } = place;
  return createConflictAgent({
    place,
    store: createFileSessionStore({ home, clock, createId }),
    start: { cwd, env: process.env, flags: { model: flags.model } },
    type,
    mode: flags.permissionMode ?? "acceptEdits",
    onProgress: printProgress,
  });
}

function assertUsage(branches: readonly string[], flags: LandFlags): void {
  if (flags.continue && flags.abort)
    throw new TroupeError("usage", "cannot combine --continue and --abort. Use one of them.");
  if ((flags.continue || flags.abort) && branches.length > 0) {
    throw new TroupeError("usage", "--continue and --abort take no branch: they act on an interrupted landing.");
  }
  if (!flags.continue && !flags.abort && branches.length === 0) {
    throw new TroupeError("usage", "no branches given. Run 'troupe worktree list' to see the branches of agents.");
  }
}

/** The branches that an interrupted landing did not land. */
const remaining = ({ journal, outcome }: RecoveredLanding) =>
  outcome === "undone"
    ? journal.branches
    : journal.branches.filter((name) => !journal.landing.some(({ branch }) => branch === name));

function reportResult(screen: Screen, settled: RecoveredLanding | undefined, flags: LandFlags): number {
  const { outcome, notices = [] } = settled ?? {};
  if (flags.json) process.stdout.write(`${JSON.stringify({ outcome: outcome ?? null, notices })}\n`);
  else {
    screen.line(outcome === undefined ? "there is no interrupted landing" : `the interrupted landing is ${outcome}`);
    for (const notice of notices) screen.paragraph(notice);
  }
  return exitCodes.done;
}

function printReport(screen: Screen, report: LandReport): void {
  const target = report.target.replace("refs/heads/", "");
  for (const { branch, commits, resolved } of report.landed) {
    const how = `${commits} commit${commits === 1 ? "" : "s"}${resolved ? ", conflict resolved" : ""}`;
    screen.paragraph(`${branch}: ${report.dryRun ? "would land" : "landed"} on ${target} (${how})`, {
      first: "✓ ",
      mark: screen.paint.green,
    });
  }
  for (const refused of report.refused) printRefusal(screen, refused);
  for (const notice of report.notices) screen.paragraph(notice, { first: "! ", mark: screen.paint.yellow });
  if (report.dryRun) screen.line("nothing was changed, and no check was run", screen.paint.dim);
  else if (report.check === undefined && report.landed.length > 0) {
    screen.line("no check was run: set land.check in the settings, or use --check", screen.paint.yellow);
  }
}

function printRefusal(screen: Screen, refused: RefusedBranch): void {
  const mark = { first: "✗ ", mark: screen.paint.red };
  switch (refused.reason) {
    case "nothing new":
      screen.paragraph(`${refused.branch}: nothing to land, it has no new commits`, { first: "· " });
      return;
    case "red":
      screen.paragraph(`${refused.branch}: not landed, the check fails with it (${refused.how})`, mark);
      for (const line of refused.tail.split("\n").slice(-20)) screen.line(`  ${line}`, screen.paint.dim);
      return;
    case "conflict":
      screen.paragraph(`${refused.branch}: not landed, conflict in ${refused.conflict.files.join(", ")}`, mark);
      if (refused.why !== undefined) screen.paragraph(`  The agent did not resolve it: ${refused.why}`);
      for (const { commit, message } of refused.conflict.ours) screen.line(`  target: ${commit} ${message}`);
      for (const { commit, message } of refused.conflict.theirs) screen.line(`  branch: ${commit} ${message}`);
      screen.paragraph(`  Rebase ${refused.branch} on the current branch in its own worktree, then land it again.`);
  }
}
