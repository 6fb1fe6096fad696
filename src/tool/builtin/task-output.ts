import * as z from "zod";
import { sameName } from "../../platform/index.ts";
import type { BackgroundJob, BackgroundJobs } from "../background-jobs.ts";
import { defineTool, failedResult, textResult, type ToolResult } from "../define-tool.ts";

const TaskOutputInput = z.strictObject({
  task_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("The id of a job, or the name or id of its agent. Without it, all jobs are listed"),
  block: z.boolean().optional().describe("Wait until the job ends or the timeout is over. Default: true"),
  timeout: z.number().int().min(0).max(600_000).optional().describe("Milliseconds to wait. Default: 30000"),
});

const showBytes = 24_000;

export const taskOutputTool = defineTool<z.infer<typeof TaskOutputInput>>({
  name: "TaskOutput",
  description: `Returns the status of a background job and its output since your last look. It waits for the job to end, up to the timeout; set block to false to look without waiting. Without task_id it lists your jobs.`,
  input: TaskOutputInput,
  access: "read",
  subject: () => ({ kind: "own" }),
  title: (input) => `TaskOutput${input.task_id === undefined ? "" : ` ${input.task_id}`}`,
  async execute(input, context) {
    if (input.task_id === undefined) return textResult(jobList(context.background));
    return withJob(input.task_id, context.background, async (job) => {
      if (input.block ?? true) await job.waitForEnd(input.timeout ?? 30_000, context.signal);
      const { text, skippedBytes } = await job.takeOutput(showBytes);
      const skipped = skippedBytes === 0 ? "" : `[… ${skippedBytes} bytes before this are in ${job.outputFile}]\n`;
      const shown = text.replace(/\n+$/, "");
      const progress = job.progress();
      const status = progress === undefined ? statusLine(job) : `${statusLine(job)}\n${progress}`;
      return textResult(`${status}\n\n${shown === "" ? "(no new output)" : skipped + shown}`);
    });
  },
});

/** Acts on a background job of this session, by its id or by the name or id of its agent. Fails if there is none. */
export async function withJob(
  id: string,
  jobs: BackgroundJobs,
  act: (job: BackgroundJob) => Promise<ToolResult>,
): Promise<ToolResult> {
  const job = jobs.get(id) ?? jobOfAgent(id, jobs);
  return job ? act(job) : failedResult(noSuchJob(id, jobs));
}

/** The newest job of this agent: it may have been resumed. */
function jobOfAgent(id: string, jobs: BackgroundJobs): BackgroundJob | undefined {
  const list = jobs.list();
  const same = sameName(
    id,
    list.flatMap(({ name }) => name ?? []),
  );
  return list.findLast(({ agent, name }) => agent === id || (name !== undefined && name === same));
}

/** All jobs of this agent, the running ones first. */
export function jobList(jobs: BackgroundJobs): string {
  const list = jobs.list().toSorted((a, b) => Number(a.ended !== undefined) - Number(b.ended !== undefined));
  if (list.length === 0) return "You have no background jobs.";
  const more = list.length > shownJobs ? [`and ${list.length - shownJobs} more`] : [];
  return [...list.slice(0, shownJobs).map(statusLine), ...more].join("\n");
}

const shownJobs = 20;

/** The running jobs of this agent, one per line. Empty if there are none. */
export function runningJobs(jobs: BackgroundJobs): readonly string[] {
  const running = jobs.list().filter(({ ended }) => !ended);
  const more = running.length > shownJobs ? [`and ${running.length - shownJobs} more`] : [];
  return [...running.slice(0, shownJobs).map(statusLine), ...more];
}

export function statusLine(job: BackgroundJob): string {
  const what = `${job.id}${job.name === undefined ? "" : ` (${job.name})`}`;
  if (!job.ended) return `${what} is running: ${job.description}`;
  const { status, exitCode } = job.ended;
  const code = exitCode === null ? "" : ` with exit code ${exitCode}`;
  const how = {
    killed: "was stopped",
    failed: exitCode === null ? "has failed" : `has ended${code}`,
    completed: `has ended${code}`,
  };
  return `${what} ${how[status]}: ${job.description}`;
}

const noSuchJob = (id: string, jobs: BackgroundJobs) =>
  `There is no background job ${JSON.stringify(id)}. ${jobList(jobs)}`;
