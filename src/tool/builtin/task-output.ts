import * as z from "zod";
import type { BackgroundJob, BackgroundJobs } from "../background-jobs.ts";
import { defineTool, failedResult, textResult, type ToolResult } from "../define-tool.ts";

const TaskOutputInput = z.strictObject({
  task_id: z.string().min(1).max(100).describe("The task id that Bash or Agent returned"),
  block: z.boolean().optional().describe("Wait until the job ends or the timeout is over. Default: true"),
  timeout: z.number().int().min(0).max(600_000).optional().describe("Milliseconds to wait. Default: 30000"),
});

const showBytes = 24_000;

export const taskOutputTool = defineTool<z.infer<typeof TaskOutputInput>>({
  name: "TaskOutput",
  description: `Returns the status of a background job and its output since your last look. It waits for the job to end, up to the timeout; set block to false to look without waiting.`,
  input: TaskOutputInput,
  access: "read",
  subject: () => ({ kind: "own" }),
  title: (input) => `TaskOutput ${input.task_id}`,
  execute: (input, context) =>
    withJob(input.task_id, context.background, async (job) => {
      if (input.block ?? true) await waitForEnd(job, input.timeout ?? 30_000, context.signal);
      const { text, skippedBytes } = await job.takeOutput(showBytes);
      const skipped = skippedBytes === 0 ? "" : `[… ${skippedBytes} bytes before this are in ${job.outputFile}]\n`;
      const shown = text.replace(/\n+$/, "");
      const progress = job.progress();
      const status = progress === undefined ? statusLine(job) : `${statusLine(job)}\n${progress}`;
      return textResult(`${status}\n\n${shown === "" ? "(no new output)" : skipped + shown}`);
    }),
});

/** Acts on a background job of this session. Fails if there is no such job. */
export async function withJob(
  id: string,
  jobs: BackgroundJobs,
  act: (job: BackgroundJob) => Promise<ToolResult>,
): Promise<ToolResult> {
  const job = jobs.get(id);
  return job ? act(job) : failedResult(noSuchJob(id, jobs));
}

async function waitForEnd(job: BackgroundJob, timeoutMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const over = new AbortController();
  const waited = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    for (const each of [signal, over.signal]) {
      each.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true, signal: over.signal });
    }
  });
  await Promise.race([job.done, waited]);
  over.abort();
  signal.throwIfAborted();
}

export function statusLine(job: BackgroundJob): string {
  if (!job.ended) return `${job.id} is running: ${job.description}`;
  const { status, exitCode } = job.ended;
  const code = exitCode === null ? "" : ` with exit code ${exitCode}`;
  const how = {
    killed: "was stopped",
    failed: exitCode === null ? "has failed" : `has ended${code}`,
    completed: `has ended${code}`,
  };
  return `${job.id} ${how[status]}: ${job.description}`;
}

function noSuchJob(id: string, tasks: BackgroundJobs): string {
  const known = tasks.list().map((job) => job.id);
  const list = known.length === 0 ? "There are none in this session." : `There are: ${known.slice(-20).join(", ")}.`;
  return `There is no background job ${id}. ${list}`;
}
