import { existsSync } from "node:fs";
import { currentProcess, isAlive } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { waitForOperationEnd } from "../worktree/processes-in-folder.ts";
import type { Repository } from "../worktree/repository.ts";
import { undoCreation } from "../worktree/undo-creation.ts";
import { listEntries, writeEntry } from "../worktree/worktree-entry.ts";
import { type LandJournal, readJournal, removeJournal } from "./land-journal.ts";
import { syncWorkingTree } from "./sync-working-tree.ts";

export interface RecoveredLanding {
  readonly journal: LandJournal;
  /** `finished` if the target has the result of the interrupted landing. */
  readonly outcome: "finished" | "undone";
  readonly notices: readonly string[];
}

/**
 * Recovers a killed landing. Finishes it if the branch had moved, and discards it otherwise. `rollBack` undoes a move.
 * Call it only with the landing lock held. Undefined if there is nothing to recover.
 */
export async function recoverLanding(
  repository: Repository,
  { rollBack }: { readonly rollBack: boolean },
): Promise<RecoveredLanding | undefined> {
  const journal = await readJournal(repository);
  await removeLeftWorktrees(repository);
  if (!journal) return undefined;
  if (isAlive(journal.owner) !== "dead" && journal.owner.pid !== process.pid) {
    throw new TroupeError(
      "git",
      `cannot recover the landing in ${journal.top}: process ${journal.owner.pid} still runs it. Wait until it ends.`,
    );
  }
  if (!(await waitForOperationEnd(repository.place, journal.id))) {
    throw new TroupeError(
      "git",
      `cannot recover the landing in ${journal.top}: git still runs for it. Try again later.`,
    );
  }
  const recovered = await settle(repository, journal, { rollBack });
  await removeJournal(repository);
  return { journal, ...recovered };
}

async function settle(
  repository: Repository,
  journal: LandJournal,
  { rollBack }: { readonly rollBack: boolean },
): Promise<Omit<RecoveredLanding, "journal">> {
  const { target, before, after, state } = journal;
  const ref = async () => (await repository.git(["rev-parse", "--verify", "--quiet", target])).stdout.trim();
  if (state === "begun" || after === undefined) return { outcome: "undone", notices: [] };
  if (rollBack && (await ref()) === after) {
    await repository.ask(["update-ref", "-m", "troupe land: rolled back", target, before, after]);
  }
  const now = await ref();
  if (now !== before && now !== after) {
    const notice = `${target} has moved since the landing was interrupted; its files were not changed`;
    return { outcome: "undone", notices: [notice] };
  }
  const notices = now === before && !rollBack ? [] : await files(repository, journal, now);
  if (now === before) return { outcome: "undone", notices };
  await markLanded(repository, journal.landing);
  return { outcome: "finished", notices };
}

async function files(repository: Repository, journal: LandJournal, to: string): Promise<string[]> {
  const { top, target, before, after = "" } = journal;
  const head = (await repository.git(["symbolic-ref", "--quiet", "HEAD"], { cwd: top })).stdout.trim();
  if (!existsSync(top) || head !== target) return [];
  const gitDir = await repository.ask(["rev-parse", "--absolute-git-dir"], { cwd: top });
  const from = to === after ? before : after;
  const changed = await syncWorkingTree(repository, { top, gitDir, from, to, since: Date.parse(journal.startedAt) });
  return changed.map((path) => `${path} has changed since the landing was interrupted and was not touched`);
}

/** Records landed tips: removing a worktree whose branch has landed loses nothing. */
export async function markLanded(
  repository: Repository,
  landed: readonly { readonly branch: string; readonly tip: string }[],
): Promise<void> {
  const { entries } = await listEntries(repository);
  for (const entry of entries) {
    const found = landed.find(({ branch }) => branch === entry.branch);
    if (found) await writeEntry(repository, { ...entry, landed: found.tip });
  }
}

async function removeLeftWorktrees(repository: Repository): Promise<void> {
  const { entries } = await listEntries(repository);
  const here = currentProcess();
  for (const entry of entries) {
    if (!entry.agentId.startsWith(landingAgentId) || isAlive(entry.owner, here) !== "dead") continue;
    await undoCreation(repository, entry);
  }
}

/** Used instead of an agent id for the temporary worktree of a landing. */
export const landingAgentId = "troupe-land";
