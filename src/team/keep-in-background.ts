import { agentNotification, type AgentReport } from "../agent/index.ts";
import type { ToolContext } from "../tool/index.ts";
import type { Child } from "./child.ts";

export interface Kept {
  readonly agentId: string;
  readonly taskId: string;
  readonly outputFile: string;
  readonly why?: string;
}

/**
 * Makes a run that is under way a background task of the caller: with an abort signal of its own, an output file, and word of
 * its end. Nothing is started again.
 */
export async function keepInBackground(
  context: Pick<ToolContext, "background">,
  work: { child: Child; run: Promise<AgentReport>; description: string; prompt: string },
): Promise<Kept> {
  const { child, run, description, prompt } = work;
  const task = await context.background.start({
    kind: "agent",
    agent: child.id,
    description,
    async run({ id, signal, write }) {
      const stopWriting = child.onText((text) => write(Buffer.from(text)));
      const stop = () => void child.interrupt("it was stopped");
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const report = await run;
      stopWriting();
      const status = report.status === "stopped" ? "killed" : report.status;
      return { status, exitCode: null, report: agentNotification(id, prompt, report) };
    },
  });
  return { agentId: child.id, taskId: task.id, outputFile: task.outputFile };
}
