import { escapeSenders } from "../escape-markup.ts";

/** For an agent on a different machine from the agent that started it. */
export const remoteConduct = (branch: string): string =>
  `# Where you work
You work in a clone of the repository, on the branch ${branch}, on a different machine from the agent that started you. Commit your work: your commits are returned as a branch. Uncommitted changes are committed for you when you end. Files outside the clone, and ignored files, stay behind. Others cannot see your files: say in your last message all that they need to know.`;

/** For an agent that waited for a remote agent when the program ended. */
export const stillRunningRemotely = (agent: { description: string; agentId: string; taskId: string }): string =>
  `The agent for "${escapeSenders(agent.description)}" (${agent.agentId}) did not end with the program: it runs on another machine. It is followed here again, as the background job ${agent.taskId}. You are notified when it ends. Do not start it again.`;

/** For an agent that adopts a job of another worker. */
export const adoptedJobNotice = (base: string): string =>
  `The machine that started this job is gone. The commits made there are in your clone (git log ${base.slice(0, 12)}..); uncommitted changes are lost. Check what is already done, and continue from there.`;

/** For a teammate on a different machine from its lead. */
export const remoteTeammateConduct = ({
  branch,
  base,
  isResumed,
}: {
  readonly branch: string;
  readonly base: string;
  readonly isResumed: boolean;
}): string =>
  [
    `# Where you work
You work in a clone of the repository, on the branch ${branch}, on a different machine from your lead. Commit your work: your commits go to your lead's repository as that branch. Whenever you become idle, uncommitted changes are committed for you. Files outside the clone, and ignored files, stay here. Others cannot see your files, and you cannot see theirs: say in your messages all that they need to know.`,
    ...(isResumed
      ? [
          `You worked on this before, in another clone that is gone. The commits made there are in this one (git log ${base.slice(0, 12)}..); uncommitted changes are lost. Files that you know by other paths are now in this clone.`,
        ]
      : []),
  ].join("\n\n");
