import { useMemo, useState } from "react";
import {
  LandingReport as Report,
  messageOf,
  type SessionId,
  type WorktreeListing,
} from "../../../../src/protocol/index.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { fetchJson } from "../../state/fetch-json.ts";
import { useThrottledWhileLoading } from "../../state/use-throttled-while-loading.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { type RosterEntry, useRoster } from "../../state/roster.ts";
import { useWorktrees } from "../../state/use-worktrees.ts";
import { LandingReport } from "./landing-report.tsx";
import { WorktreeCard } from "./worktree-card.tsx";
import "./worktrees-view.css";

/** The branches of the agents, their changes, and landing them on the current branch. */
export function WorktreesView({ session }: { session: SessionId }) {
  const roster = useThrottledWhileLoading(session, useRoster(session));
  const { worktrees, problem, refresh } = useWorktrees(session, roster);
  const isPast = useDashboard((state) => state.replayAt !== undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [landing, setLanding] = useState<Landing>({ kind: "none" });
  const shown = useMemo(() => withEntries(worktrees ?? [], roster, isPast), [worktrees, roster, isPast]);
  const branches = shown.flatMap(({ worktree }) => {
    const branch = isPast ? undefined : landable(worktree);
    return branch !== undefined && chosen.has(branch) ? [branch] : [];
  });
  const choose = (branch: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(branch);
    else next.delete(branch);
    setChosen(next);
  };
  const land = async () => {
    setLanding({ kind: "going" });
    try {
      const report = Report.parse(await fetchJson("/api/land", { body: { session, branches } }));
      setLanding({ kind: "done", report });
      setChosen(new Set());
    } catch (error) {
      setLanding({ kind: "failed", why: messageOf(error) });
    }
    refresh();
  };
  return (
    <section className="worktrees-view" aria-labelledby="worktrees-title">
      <div className="worktrees-bar">
        <h2 id="worktrees-title">Worktrees</h2>
        <p className="soft" role="status">
          {landing.kind === "going" ? "Landing: waiting for the check…" : isPast ? replayNote : ""}
        </p>
        {!isPast && (
          <div className="buttons">
            {branches.length > 0 && landing.kind !== "going" && (
              <ConfirmButton
                label={branches.length === 1 ? "Land 1 branch" : `Land ${branches.length} branches`}
                confirm="Really land on the current branch?"
                onConfirm={() => void land()}
              />
            )}
            <button type="button" onClick={refresh}>
              Refresh
            </button>
          </div>
        )}
      </div>
      {problem !== undefined && (
        <p className="worktrees-problem" role="alert">
          {problem}
        </p>
      )}
      {landing.kind === "failed" && (
        <p className="worktrees-problem" role="alert">
          Landing failed: {landing.why}
        </p>
      )}
      {landing.kind === "done" && (
        <LandingReport report={landing.report} onClose={() => setLanding({ kind: "none" })} />
      )}
      {worktrees === undefined && problem === undefined && <p className="soft">Loading the worktrees…</p>}
      {worktrees !== undefined && shown.length === 0 && (
        <p className="soft">
          No worktrees. Agents started with <code>isolation: worktree</code> get their own worktree and branch.
        </p>
      )}
      <ul className="worktrees-list">
        {shown.map(({ worktree, entry }) => {
          const branch = isPast ? undefined : landable(worktree);
          return (
            <li key={worktree.path}>
              <WorktreeCard
                session={session}
                worktree={worktree}
                entry={entry}
                isChosen={branch === undefined ? undefined : chosen.has(branch)}
                onChoose={(isChosen) => branch !== undefined && choose(branch, isChosen)}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

type Landing =
  | { readonly kind: "none" | "going" }
  | { readonly kind: "done"; readonly report: Report }
  | { readonly kind: "failed"; readonly why: string };

const replayNote = "The worktrees of the agents at this time, in their current state: past states are not stored.";

/** The branch, if it has commits and no one is working on the worktree itself. */
const landable = ({ branch, commits, state }: WorktreeListing): string | undefined =>
  commits > 0 && (state === "live" || state === "kept" || state === "left") ? branch : undefined;

interface Placed {
  readonly worktree: WorktreeListing;
  readonly entry: RosterEntry | undefined;
}

/** Those of this session first. In a replay, only those. */
function withEntries(
  worktrees: readonly WorktreeListing[],
  roster: readonly RosterEntry[],
  isPast: boolean,
): readonly Placed[] {
  const placed = worktrees.map((worktree) => ({
    worktree,
    entry: roster.find(
      ({ agent, member }) =>
        (agent !== undefined && agent.id === worktree.agentId) || member?.worktreePath === worktree.path,
    ),
  }));
  const own = placed.filter(({ entry }) => entry !== undefined);
  return isPast ? own : [...own, ...placed.filter(({ entry }) => entry === undefined)];
}
