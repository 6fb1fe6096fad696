import { type Agent, closeOpenCalls, type EventSink, hasPrompt, type RunOutcome } from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import type { AgentPath, PromptId } from "../../protocol/index.ts";
import type { JobSpec } from "../jobs/job.ts";
import { createJobRun, type JobRun, type JobRunOptions } from "./job-run.ts";

export interface RemoteAgentOptions extends JobRunOptions {
  readonly path: AgentPath;
  readonly sink: Pick<EventSink, "holds" | "sync">;
  readonly createId: CreateId;
}

/** An agent that runs on a worker. Its events arrive over the bus and are stored in its log here. */
export interface RemoteAgent extends Agent, Pick<JobRun, "state" | "isLeft" | "forget"> {
  /** Stops following the job, which continues on its worker. False if it has already ended. */
  leave(): boolean;
}

export function createRemoteAgent(options: RemoteAgentOptions): RemoteAgent {
  const { recorder, conversation, createId } = options;
  const job = createJobRun(options);
  const prompts: JobSpec["said"] = [];
  let run: Promise<RunOutcome> | undefined;
  return {
    path: options.path,
    get running() {
      return run !== undefined && !job.isOver;
    },
    async admit(source, parts) {
      const promptId = createId<PromptId>("prm");
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
      if (run) await job.order({ kind: "say", promptId, parts: [...parts] });
      else prompts.push({ promptId, parts: [...parts] });
      return promptId;
    },
    async admitOnce({ promptId, source, parts }) {
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
    },
    hasPrompt: async (id) => hasPrompt(id, options),
    hasRecorded: (id, is) => options.sink.holds(id, is),
    saved: () => options.sink.sync(),
    wake: () => undefined,
    resume() {
      if (!run) run = job.run(prompts);
      else if (job.isOver) run = Promise.resolve({ reason: "failed", detail: oneTaskMessage, turns: 0 });
      // `settled` reports a failure. Until then it counts as handled.
      run.catch(() => undefined);
    },
    interrupt: (how) => job.stop(run, how?.verdict),
    async close() {
      await job.stop(run);
      recorder.leave();
    },
    whileIdle: async (work) => {
      await job.stop(run);
      return work();
    },
    compact: async () => ({ ok: false, message: "its worker compacts it automatically" }),
    record: recorder.record,
    live: recorder.live,
    fail: async (failure) => job.abort(failure),
    settled: async () => run,
    closeOpenCalls: () => closeOpenCalls(conversation, recorder.record),
    state: job.state,
    leave() {
      if (!run || job.isOver) return false;
      job.leave();
      return true;
    },
    get isLeft() {
      return job.isLeft;
    },
    forget: job.forget,
  };
}

const oneTaskMessage =
  "An agent with isolation: remote does only one task, and its clone no longer exists. Start another agent for the rest. Its commits are on its branch.";
