import { agentNotification } from "../../agent/index.ts";
import type { BackgroundWork, ToolContext } from "../../tool/index.ts";
import type { Subagent, SubagentRun } from "./subagent.ts";

export interface BackgroundRun {
  readonly agentId: string;
  readonly taskId: string;
  readonly outputFile: string;
  readonly note?: string;
}

/**
 * Makes a run that is under way a background task of the caller: with an abort signal of its own, an output file that has
 * all it has written, and word of its end. Nothing is started again. Whoever waits for the task goes on when the result is
 * there; the caller is told when its worktree is in order as well.
 */
export async function moveToBackground(
  context: Pick<ToolContext, "background">,
  work: {
    subagent: Subagent;
    run: SubagentRun;
    description: string;
    prompt: string;
    /** It was a task in an earlier life of the session, and is the same one. */
    again?: BackgroundWork["resumedId"];
  },
): Promise<BackgroundRun> {
  const { subagent, run, description, prompt, again } = work;
  const task = await context.background.start({
    kind: "agent",
    agent: subagent.id,
    description,
    resumedId: again,
    progress: () => subagent.progress(),
    async run({ id, signal, write }) {
      const stopWriting = subagent.onText((text) => write(Buffer.from(text)), { fromStart: true });
      const stopShowing = subagent.showProgress();
      const stop = () => void subagent.interrupt("it was stopped");
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const { status, continuesRemotely } = await run.reported;
      stopWriting();
      stopShowing();
      return {
        status: status === "stopped" ? "killed" : status,
        exitCode: null,
        ...(continuesRemotely && { continuesRemotely }),
        report: async () => agentNotification(id, prompt, await run.done),
      };
    },
  });
  return { agentId: subagent.id, taskId: task.id, outputFile: task.outputFile };
}
