import { useMemo, useState } from "react";
import {
  LandingReport as Report,
  messageOf,
  type SessionId,
  type WorkItem,
  type WorktreeListing,
} from "../../../../src/protocol/index.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { fetchJson } from "../../state/fetch-json.ts";
import { useThrottledWhileLoading } from "../../state/use-throttled-while-loading.ts";
import { useDashboard, useSessionView } from "../../state/dashboard-store.ts";
import { type RosterEntry, useRoster } from "../../state/roster.ts";
import { useWorktrees } from "../../state/use-worktrees.ts";
import { LandingReport } from "./landing-report.tsx";
import { WorktreeCard } from "./worktree-card.tsx";
import { type WorktreeStatus, worktreeStatus } from "./worktree-status.ts";
import "./worktrees-view.css";

/** The branches of the agents, their changes, and landing them on the current branch. */
export function WorktreesView({ session }: { session: SessionId }) {
  const roster = useThrottledWhileLoading(session, useRoster(session));
  const { worktrees, problem, refresh } = useWorktrees(session, roster);
  const isPast = useDashboard((state) => state.replayAt !== undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [landing, setLanding] = useState<Landing>({ kind: "none" });
  const tasks = useSessionView(session).tasks;
  const landed = landing.kind === "done" ? landing.report.landed : nothingLanded;
  const shown = useMemo(
    () => withEntries(worktrees ?? [], { roster, isPast, landed, tasks: [...tasks.values()].flat() }),
    [worktrees, roster, isPast, landed, tasks],
  );
  const branches = shown.flatMap(({ worktree }) => {
    const branch = isPast ? undefined : landable(worktree);
    return branch !== undefined && chosen.has(branch) ? [branch] : [];
  });
  const ready = shown.flatMap(({ worktree: { branch }, status }) =>
    !isPast && status === "ready" && branch !== undefined ? [branch] : [],
  );
  const choose = (branch: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(branch);
    else next.delete(branch);
    setChosen(next);
  };
  const land = async (wanted: readonly string[]) => {
    setLanding({ kind: "going" });
    try {
      const report = Report.parse(await fetchJson("/api/land", { body: { session, branches: wanted } }));
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
          {landing.kind === "going" ? "Landing: waiting for the check…" : isPast ? replayNote : countText(shown)}
        </p>
        {!isPast && (
          <div className="buttons">
            {branches.length > 0 && landing.kind !== "going" && (
              <ConfirmButton
                label={branches.length === 1 ? "Land 1 branch" : `Land ${branches.length} branches`}
                confirm="Really land on the current branch?"
                onConfirm={() => void land(branches)}
              />
            )}
            {ready.length > 0 && branches.length === 0 && landing.kind !== "going" && (
              <ConfirmButton
                label={`Land all that is ready (${ready.length})`}
                confirm={`Really land ${ready.length === 1 ? "1 branch" : `${ready.length} branches`}?`}
                onConfirm={() => void land(ready)}
              />
            )}
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
        {shown.map(({ worktree, entry, status, task }) => {
          const branch = isPast ? undefined : landable(worktree);
          return (
            <li key={worktree.path}>
              <WorktreeCard
                session={session}
                worktree={worktree}
                entry={entry}
                task={task}
                status={status}
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
  readonly status: WorktreeStatus;
  readonly task: WorkItem | undefined;
}

interface Known {
  readonly roster: readonly RosterEntry[];
  readonly isPast: boolean;
  readonly tasks: readonly WorkItem[];
  /** The branches of the last landing, which the list may not know yet. */
  readonly landed: Report["landed"];
}

const nothingLanded: Report["landed"] = [];

function countText(shown: readonly Placed[]): string {
  const count = (status: WorktreeStatus) => shown.filter((each) => each.status === status).length;
  return (["ready", "conflict", "dirty"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`)
    .join(" · ");
}

/** Those of this session first. In a replay, only those. */
function withEntries(
  worktrees: readonly WorktreeListing[],
  { roster, isPast, tasks, landed }: Known,
): readonly Placed[] {
  const placed = worktrees.map((worktree) => {
    const entry = roster.find(
      ({ agent, member }) =>
        (agent !== undefined && agent.id === worktree.agentId) || member?.worktreePath === worktree.path,
    );
    const hasLanded = landed.some(({ branch }) => branch === worktree.branch) && worktree.landing !== "conflict";
    const status = worktreeStatus(hasLanded ? { ...worktree, landing: "landed" } : worktree, entry);
    const own = tasks.filter(({ owner }) => owner !== undefined && owner === entry?.member?.name);
    const task = own.find((each) => each.status === "in_progress") ?? own.at(-1);
    return { worktree, entry, status, task };
  });
  const own = placed.filter(({ entry }) => entry !== undefined);
  return isPast ? own : [...own, ...placed.filter(({ entry }) => entry === undefined)];
}
