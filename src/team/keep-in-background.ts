import { agentNotification } from "../agent/index.ts";
import type { BackgroundWork, ToolContext } from "../tool/index.ts";
import type { Child, ChildRun } from "./child.ts";

export interface Kept {
  readonly agentId: string;
  readonly taskId: string;
  readonly outputFile: string;
  readonly why?: string;
}

/**
 * Makes a run that is under way a background task of the caller: with an abort signal of its own, an output file that has
 * all it has written, and word of its end. Nothing is started again. Whoever waits for the task goes on when the result is
 * there; the caller is told when its worktree is in order as well.
 */
export async function keepInBackground(
  context: Pick<ToolContext, "background">,
  work: {
    child: Child;
    run: ChildRun;
    description: string;
    prompt: string;
    /** It was a task in an earlier life of the session, and is the same one. */
    again?: BackgroundWork["again"];
  },
): Promise<Kept> {
  const { child, run, description, prompt, again } = work;
  const task = await context.background.start({
    kind: "agent",
    agent: child.id,
    description,
    again,
    progress: () => child.progress(),
    async run({ id, signal, write }) {
      const stopWriting = child.onText((text) => write(Buffer.from(text)), { fromStart: true });
      const stopShowing = child.showProgress();
      const stop = () => void child.interrupt("it was stopped");
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const { status, goesOn } = await run.assembled;
      stopWriting();
      stopShowing();
      return {
        status: status === "stopped" ? "killed" : status,
        exitCode: null,
        ...(goesOn && { goesOn }),
        report: async () => agentNotification(id, prompt, await run.done),
      };
    },
  });
  return { agentId: child.id, taskId: task.id, outputFile: task.outputFile };
}
