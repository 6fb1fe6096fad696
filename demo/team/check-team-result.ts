import type { TeamResult } from "./read-team-result.ts";
import type { TestRun } from "../shared/run-tests.ts";
import type { RepositoryState } from "./sample-repository.ts";

export interface TeamRunOutcome {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly state: Pick<RepositoryState, "commits" | "leftoverWorktrees">;
  readonly team: Pick<TeamResult, "members" | "tasks" | "mail" | "startCounts" | "stillRunning" | "answered">;
}

/** Expected commits: one of the implementer and one of the tester. */
const landed = 2;

/** Returns the first promise of the demo that the files on disk do not confirm, or undefined. */
export function teamRunProblem({ before, after, state, team }: TeamRunOutcome): string | undefined {
  if (before.green) return "the tests of the sample repository passed before any change";
  if (!after.green) return `the tests fail at the end (${after.summary})`;
  if (state.commits.length !== landed) return `${state.commits.length} commits landed, not ${landed}`;
  if (state.leftoverWorktrees.length > 0) return `not everything was removed: ${state.leftoverWorktrees.join(", ")}`;
  return teamProblem(team);
}

function teamProblem({
  members,
  tasks,
  mail,
  startCounts: lives,
  stillRunning: living,
  answered,
}: TeamRunOutcome["team"]): string | undefined {
  const leftover = members.find(({ ended }) => ended?.reason !== "shutdown");
  if (members.length === 0) return "there was no team";
  if (leftover) return `${leftover.name} did not agree to shut down (${leftover.ended?.reason ?? "it did not end"})`;
  if (living.length > 0) return `still running: ${living.join(", ")}`;
  const open = tasks.find(({ status }) => status !== "completed");
  if (open || tasks.length === 0) return open ? `task #${open.id} is ${open.status}` : "there were no tasks";
  const unproved = tasks.find(({ acceptance, proof }) => acceptance.length > 0 && proof !== "verified");
  if (unproved) return `task #${unproved.id} is not verified`;
  if (mail.read !== mail.sent) return `${mail.sent - mail.read} of ${mail.sent} messages were not read`;
  if (answered === 0) return "no agent asked for permission";
  return Math.max(...lives.values()) < 2 ? "no member died and came back" : undefined;
}
