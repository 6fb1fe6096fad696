import { closeOpenCalls, type ReceivingRecorder, type RunOutcome } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { JobOrder, JobSpec, JobState } from "../jobs/job.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";
import { createJobReceiver, type JobReceiverOptions, maxGenerations } from "./receive-job-news.ts";
import { watchWorker } from "./watch-worker.ts";

export interface JobRunOptions extends Omit<JobReceiverOptions, "over" | "abort"> {
  readonly recorder: ReceivingRecorder;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly workerWaitMs: number;
  /**
   * Uploads the code and submits the job, or finds the job if a previous run of the session submitted it. Undefined if
   * that cannot be determined now.
   */
  submit(prompts: JobSpec["said"], signal: AbortSignal): Promise<SubmittedJob | undefined>;
}

/** The one job of a remote agent, from its submission to its outcome. */
export interface JobRun {
  readonly isOver: boolean;
  readonly isLeft: boolean;
  /** Submits the job and follows it to its end. Call it once. */
  run(prompts: JobSpec["said"]): Promise<RunOutcome>;
  /** Does nothing before the job is submitted and after its end. */
  order(order: JobOrder): Promise<void>;
  /** Ends the run. With a verdict it counts as failed. */
  stop(running: Promise<RunOutcome> | undefined, verdict?: string): Promise<void>;
  abort(error: unknown): void;
  state(): JobState | undefined;
  leave(): void;
  forget(): Promise<void>;
}

export function createJobRun(options: JobRunOptions): JobRun {
  const { recorder, conversation, clock } = options;
  const over = new AbortController();
  let job: SubmittedJob | undefined;
  let isOver = false;
  let isLeft = false;
  let stopping: { readonly verdict: string | undefined } | undefined;
  let fault: { readonly error: unknown } | undefined;
  let lostReason: string | undefined;

  const abort = (error: unknown) => {
    if (over.signal.aborted) return;
    fault ??= { error };
    over.abort();
  };
  const receiver = createJobReceiver({ ...options, over: over.signal, abort });
  const notice = (message: string) =>
    recorder.record({ type: "notice.raised", level: "warning", code: "remote", message });

  const stopped = (): RunOutcome => {
    if (fault) throw fault.error;
    const detail = lostReason ?? stopping?.verdict;
    return detail === undefined ? { reason: "interrupted", turns: 0 } : { reason: "failed", detail, turns: 0 };
  };

  const follow = async (submitted: SubmittedJob): Promise<RunOutcome> => {
    const watch = watchJob(submitted, options, {
      state: receiver.state,
      notice,
      abort,
      lose(reason) {
        lostReason ??= reason;
        return submitted.withdraw();
      },
    });
    try {
      for await (const news of submitted.news(over.signal)) {
        const outcome = await receiver.receive(news, submitted);
        if (news.kind === "state" || news.kind === "report") watch.onHeartbeat();
        if (outcome === "withdrawn") return stopped();
        if (outcome === "too often") {
          lostReason = `${maxGenerations} workers have claimed it, and none has finished it`;
          await submitted.withdraw();
        } else if (outcome) return outcome;
      }
      return stopped();
    } finally {
      watch.end();
    }
  };

  return {
    get isOver() {
      return isOver;
    },
    get isLeft() {
      return isLeft;
    },
    async run(prompts) {
      try {
        job = await options.submit(prompts, over.signal);
        if (!job) {
          isLeft = true;
          await notice(
            "The bus is not reachable. The state of this agent is checked again when the session is resumed.",
          );
          return stopped();
        }
        if (isLeft) job.leave();
        else if (stopping) await job.withdraw();
        return await follow(job);
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        return { reason: "failed", detail: error.message, turns: 0 };
      } finally {
        over.abort();
        isOver = true;
        receiver.end();
        if (!isLeft) await closeOpenCalls(conversation, recorder.record);
      }
    },
    async order(order) {
      if (!isOver) await job?.order(order);
    },
    async stop(running, verdict) {
      stopping ??= { verdict };
      if (!running || isOver) return;
      const ended = running.then(
        () => true,
        () => true,
      );
      try {
        if (isLeft) return void (await ended);
        if (receiver.state()?.status === "held") await job?.order({ kind: "interrupt" });
        else await job?.withdraw();
        const late = clock.sleep(options.leaseMs * 1.5, over.signal).then(
          () => false,
          () => true,
        );
        if (!(await Promise.race([ended, late]))) {
          // The worker does not answer. Withdraw the job, so that its later results do not count.
          if (job) await job.withdraw();
          else over.abort();
        }
      } catch (error) {
        abort(error);
      }
      await ended;
    },
    abort,
    state: receiver.state,
    leave() {
      isLeft = true;
      job?.leave();
      over.abort();
    },
    forget: async () => job?.forget(),
  };
}

interface WatchJobPorts extends Pick<JobRun, "state" | "abort"> {
  notice(message: string): Promise<unknown>;
  lose(reason: string): Promise<unknown>;
}

/** Reports when no worker has the job or its worker is silent, and gives it up after `workerWaitMs`. */
const watchJob = (job: SubmittedJob, options: JobRunOptions, { state, notice, abort, lose }: WatchJobPorts) =>
  watchWorker({
    ...options,
    job,
    isHeld: () => true,
    onCheck({ isConnected }) {
      if (!isConnected) reportBusAway(options);
      if (state()?.status !== "held")
        options.recorder.live({ type: "turn.waiting", turn: 0, reason: "waiting for a worker" });
    },
    onSilent: async () => {
      const worker = state()?.worker;
      await notice(
        worker === undefined
          ? "Waiting for a worker."
          : `The worker ${worker} is silent. Another worker adopts the job if one is available.`,
      );
    },
    onLate(silentMs) {
      const verb = state()?.worker === undefined ? "claimed it" : "continued it";
      return lose(`no worker has ${verb} for ${Math.round(silentMs / 1000)} s`);
    },
    onFailure: abort,
  });

/** Without the bus, silence says nothing about the agent. Tells its watchdog that it only waits. */
function reportBusAway({ recorder, conversation }: Pick<JobRunOptions, "recorder" | "conversation">): void {
  recorder.live({ type: "turn.waiting", turn: 0, reason: "the bus is not reachable" });
  for (const { call } of conversation.openCalls())
    recorder.live({ type: "tool.progress", callId: call.callId, text: "" });
}
