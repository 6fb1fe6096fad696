import { type Member, TroupeError } from "../../protocol/index.ts";
import type { JobState, SubmittedJob } from "../../store/index.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";

type Commits = NonNullable<JobState["commits"]>;

/** Keeps the branch of a member that runs elsewhere where its commits are. */
export interface BranchKeeper {
  want(commits: Commits): void;
  /** Resolves when all that is on the bus by now is here, and the lead knows where. */
  settled(): Promise<void>;
}

export function createBranchKeeper(
  member: Member,
  { job, bring, tell }: Pick<RemoteBackendOptions, "bring" | "tell"> & { readonly job: Pick<SubmittedJob, "state"> },
): BranchKeeper {
  let was: string | undefined;
  let untold: { readonly branch: string; readonly diff: string; readonly head: string } | undefined;
  let bringing: Promise<void> = Promise.resolve();

  const bringOne = async (commits: Commits) => {
    if (commits.head === was) return;
    try {
      const brought = await bring(member, { ...commits, was });
      was = commits.head;
      untold = { ...brought, head: commits.head };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      // What has been replaced is not there any more, and what has replaced it comes next.
      const now = (await job.state())?.commits;
      if (now?.object === commits.object)
        await tell(`What ${member.name} has committed could not be brought here: ${error.message}`, "warning");
    }
  };

  const want = (commits: Commits) => {
    bringing = bringing.then(() => bringOne(commits));
    // Whoever waits for it hears of it.
    bringing.catch(() => undefined);
  };

  return {
    want,
    async settled() {
      const now = (await job.state())?.commits;
      if (now) want(now);
      await bringing;
      const { branch, diff, head } = untold ?? {};
      untold = undefined;
      if (branch !== undefined)
        await tell(
          `What ${member.name} has committed, up to ${head?.slice(0, 12)}, is here on the branch ${branch}. ${diff}`,
          "info",
        );
    },
  };
}
