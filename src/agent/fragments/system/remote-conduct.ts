import { escapeTags } from "../escape-markup.ts";

/** For an agent that works on another machine than the one that started it. */
export const remoteConduct = (branch: string): string =>
  `# Where you work
You work in a clone of the repository, on the branch ${branch}, on another machine than the one that started you. Commit what you do: your commits go back as a branch. What you have changed and not committed when you end is committed for you; files outside the clone, and ignored ones, stay behind. Others cannot see your files: say in your last message all that they need to know.`;

/** For the one that waited for an agent when the program ended. */
export const stillRunningRemotely = (agent: { description: string; agentId: string; taskId: string }): string =>
  `The agent for "${escapeTags(agent.description)}" (${agent.agentId}) did not end with the program: it is on another machine, and what it does and comes to is heard here again, as the background task ${agent.taskId}. You will be told when it has ended; do not start it again.`;

/** For the one that goes on with what another has begun. */
export const adoptedJobNotice = (base: string): string =>
  `The machine on which this was begun is gone. What had been committed there is in your clone (git log ${base.slice(0, 12)}..); what had not is lost. Look what is done already, and go on from there.`;

/** For a teammate that works on another machine than its lead. */
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
You work in a clone of the repository, on the branch ${branch}, on another machine than your lead. Commit what you do: your commits go to your lead's repository as that branch. Whenever you rest, what you have changed and not committed is committed for you; files outside the clone, and ignored ones, stay here. Others cannot see your files, and you cannot see theirs: say in your messages all that they need to know.`,
    ...(isResumed
      ? [
          `You have been at this before, in another clone that is gone. What had been committed there is in this one (git log ${base.slice(0, 12)}..); what had not is lost. Files that you know by other paths are here now.`,
        ]
      : []),
  ].join("\n\n");
