import { type Member, TroupeError } from "../../protocol/index.ts";
import type { JobState, SubmittedJob } from "../../store/index.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";

type Commits = NonNullable<JobState["commits"]>;

/** Keeps the branch of a member that runs elsewhere where its commits are. */
export interface BranchUpdater {
  queueCommits(commits: Commits): void;
  /** Resolves when all that is on the bus by now is here, and the lead knows where. */
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
      // What has been replaced is not there any more, and what has replaced it comes next.
      const now = (await job.state())?.commits;
      if (now?.object === commits.object)
        await notify(`What ${member.name} has committed could not be brought here: ${error.message}`, "warning");
    }
  };

  const queueCommits = (commits: Commits) => {
    importing = importing.then(() => importOne(commits));
    // Whoever waits for it hears of it.
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
          `What ${member.name} has committed, up to ${head?.slice(0, 12)}, is here on the branch ${branch}. ${diff}`,
          "info",
        );
    },
  };
}
