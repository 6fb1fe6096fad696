import { dirname, join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";
import type { HeldJob, WorkBus } from "../jobs/work-bus.ts";
import { bundleCommits, clonedHead, commitLeftovers, type RemoteClone } from "../commits/collect-commits.ts";
import type { RepositoryContext } from "../../team/index.ts";

/** Uploads the agent's commits to the bus while it works, so that they survive the loss of this machine. */
export function createCommitPusher({
  job,
  files,
  clone,
  place,
  say,
}: {
  readonly job: HeldJob;
  readonly files: WorkBus["files"];
  readonly clone: RemoteClone;
  readonly place: Omit<RepositoryContext, "cwd">;
  say(line: string): void;
}) {
  const clonePlace: RepositoryContext = { ...place, cwd: clone.folder };
  let pushed = job.state.commits;
  let pushing: Promise<void> = Promise.resolve();
  let isRequested = false;

  const push = async () => {
    isRequested = false;
    if (job.lost.aborted) return;
    const head = await clonedHead(clone, clonePlace);
    if (head === undefined || head === pushed?.head) return;
    const file = join(dirname(clone.folder), "commits.bundle");
    await bundleCommits(clone, file, clonePlace);
    const before = pushed;
    const commits = { object: `${job.spec.id}-${job.state.generation}-${head}`, head };
    await files.put(commits.object, file, job.lost);
    await job.note({ commits });
    pushed = commits;
    say(`${job.spec.path} (${job.spec.id}): commit ${head.slice(0, 12)} is on the bus`);
    if (before && !job.lost.aborted) await removeObject(before.object);
  };

  /** Objects that are not removed expire later, so a failure is only logged. */
  const removeObject = async (object: string) => {
    try {
      await files.remove(object);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      say(`${job.spec.path} (${job.spec.id}): ${error.message}`);
    }
  };

  return {
    /** Call it after each tool call, which may have created a commit. */
    requestPush() {
      if (isRequested) return;
      isRequested = true;
      // A failure, for example during a merge, is ignored here: the next push tries again, and `finish` reports it.
      pushing = pushing.then(push).catch((error: unknown) => {
        if (!TroupeError.is(error)) throw error;
      });
      pushing.catch(() => undefined);
    },
    /** Commits the remaining changes and uploads everything. */
    finish(message: string): Promise<void> {
      const finished = pushing.then(async () => {
        await commitLeftovers(clone, { ...clonePlace, message });
        await push();
      });
      pushing = finished.catch(() => undefined);
      return finished;
    },
  };
}
