import { type Member, TroupeError } from "../../protocol/index.ts";
import type { JobState } from "../jobs/job.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";

type Commits = NonNullable<JobState["commits"]>;

/** Updates the local branch of a remote member to its newest commits. */
export interface BranchUpdater {
  queueCommits(commits: Commits): void;
  /** Resolves when all commits on the bus are imported and the lead is notified. */
  settled(): Promise<void>;
}

export function createBranchUpdater(
  member: Member,
  {
    job,
    importCommits,
    notify,
  }: Pick<RemoteBackendOptions, "importCommits" | "notify"> & { readonly job: Pick<SubmittedJob, "state"> },
): BranchUpdater {
  let lastHead: string | undefined;
  let unreported: { readonly branch: string; readonly diff: string; readonly head: string } | undefined;
  let importing: Promise<void> = Promise.resolve();

  const importOne = async (commits: Commits) => {
    if (commits.head === lastHead) return;
    try {
      const imported = await importCommits(member, { ...commits, was: lastHead });
      lastHead = commits.head;
      unreported = { ...imported, head: commits.head };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      // A replaced bundle is gone from the bus, and its replacement comes next. Warn only about the current one.
      const now = (await job.state())?.commits;
      if (now?.object === commits.object)
        await notify(`Cannot import the commits of ${member.name}: ${error.message}`, "warning");
    }
  };

  const queueCommits = (commits: Commits) => {
    importing = importing.then(() => importOne(commits));
    // `settled` reports the failure.
    importing.catch(() => undefined);
  };

  return {
    queueCommits,
    async settled() {
      const now = (await job.state())?.commits;
      if (now) queueCommits(now);
      await importing;
      const { branch, diff, head } = unreported ?? {};
      unreported = undefined;
      if (branch !== undefined)
        await notify(
          `Commits of ${member.name} up to ${head?.slice(0, 12)} are on the local branch ${branch}. ${diff}`,
          "info",
        );
    },
  };
}
