import { agentNotification, stoppedAgentNotification, type LaunchedAgent } from "../../agent/index.ts";
import type { BackgroundWork, ToolContext } from "../../tool/index.ts";
import type { Subagent, SubagentRun } from "./subagent.ts";

/**
 * Turns a current run into a background job of the caller. The job has its own abort signal, an output file with all
 * its text, and an end notification. Nothing is restarted. The job ends when the report is ready; the notification
 * comes when its worktree is finished too.
 */
export async function moveToBackground(
  context: Pick<ToolContext, "background">,
  work: {
    subagent: Subagent;
    run: SubagentRun;
    description: string;
    prompt: string;
    /** Set if it was a job in a previous run of the session, and continues as the same job. */
    again?: BackgroundWork["again"];
  },
): Promise<LaunchedAgent> {
  const { subagent, run, description, prompt, again } = work;
  const starting = context.background.start({
    kind: "agent",
    agent: subagent.id,
    name: subagent.name,
    description,
    again,
    progress: () => subagent.progress(),
    async run({ id, signal, write }) {
      const stopWriting = subagent.onText((text) => write(Buffer.from(text)), { fromStart: true });
      const stopShowing = subagent.showProgress();
      const stop = () => void subagent.interrupt("it was stopped");
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const { status, goesOn: continuesRemotely } = await run.reported;
      stopWriting();
      stopShowing();
      return {
        status: status === "stopped" ? "killed" : status,
        exitCode: null,
        ...(continuesRemotely && { goesOn: continuesRemotely }),
        report: async (stoppedBy) =>
          stoppedBy === "starter"
            ? stoppedAgentNotification(id, await run.done)
            : agentNotification(id, prompt, await run.done),
      };
    },
  });
  const task = await starting.catch(async (error: unknown) => {
    // Its end would reach no caller.
    await subagent.interrupt("its background job could not start");
    throw error;
  });
  return { agentId: subagent.id, name: subagent.name, taskId: task.id, outputFile: task.outputFile };
}
