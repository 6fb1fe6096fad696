import {
  type Agent,
  type EventSink,
  hasPrompt,
  type ReceivingRecorder,
  type RunOutcome,
  closeOpenCalls,
} from "../../agent/index.ts";
import { type Clock, type CreateId, createSilence } from "../../platform/index.ts";
import { type AgentPath, type PromptId, TroupeError } from "../../protocol/index.ts";
import type { JobSpec, JobState, SubmittedJob } from "../../store/index.ts";
import { createJobReceiver, type JobReceiverOptions, maxGenerations } from "./receive-job-news.ts";

export interface RemoteAgentOptions extends Omit<JobReceiverOptions, "over" | "abort"> {
  readonly path: AgentPath;
  readonly sink: Pick<EventSink, "holds" | "sync">;
  readonly recorder: ReceivingRecorder;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly leaseMs: number;
  readonly workerWaitMs: number;
  /**
   * Uploads the code and submits the job, or finds the job if a previous run of the session submitted it. Undefined if
   * that cannot be determined now.
   */
  submit(prompts: JobSpec["said"], signal: AbortSignal): Promise<SubmittedJob | undefined>;
}

/** An agent that runs on a worker. Its events arrive over the bus and are stored in its log here. */
export interface RemoteAgent extends Agent {
  /** The state of its job; undefined without a job. */
  state(): JobState | undefined;
  /** Stops following the job, which continues on its worker. False if it has already ended. */
  leave(): boolean;
  readonly isLeft: boolean;
  forget(): Promise<void>;
}

export function createRemoteAgent(options: RemoteAgentOptions): RemoteAgent {
  const { recorder, conversation, clock, createId } = options;
  const prompts: JobSpec["said"] = [];
  const over = new AbortController();
  let job: SubmittedJob | undefined;
  let run: Promise<RunOutcome> | undefined;
  let isOver = false;
  let isLeft = false;
  let stopping: { readonly verdict: string | undefined } | undefined;
  let fault: { readonly error: unknown } | undefined;

  const runJob = async (): Promise<RunOutcome> => {
    try {
      job = await options.submit(prompts, over.signal);
      if (!job) {
        isLeft = true;
        await notice("The bus is not reachable. The state of this agent is checked again when the session is resumed.");
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
  };

  const follow = async (submitted: SubmittedJob): Promise<RunOutcome> => {
    const watch = watchWorker(submitted);
    const stopListening = submitted.onBeat(watch.heard);
    try {
      for await (const news of submitted.news(over.signal)) {
        const outcome = await receiver.receive(news, submitted);
        if (news.kind === "state" || news.kind === "report") watch.heard();
        if (outcome === "withdrawn") return stopped();
        if (outcome === "too often") {
          lostReason = `${maxGenerations} workers have claimed it, and none has finished it`;
          await submitted.withdraw();
        } else if (outcome) return outcome;
      }
      return stopped();
    } finally {
      stopListening();
      watch.end();
    }
  };

  /** Reports when no worker has the job or its worker is silent, and withdraws the job after `workerWaitMs`. */
  const watchWorker = (submitted: SubmittedJob) => {
    const everyMs = options.leaseMs / 5;
    const silence = createSilence(clock, everyMs);
    let isWarned = false;
    const timer = setInterval(() => {
      if (!submitted.isConnected()) {
        silence.heard();
        reportBusAway();
      }
      const silentMs = silence.ms();
      const state = receiver.state();
      if (state?.status !== "held") recorder.live({ type: "turn.waiting", turn: 0, reason: "waiting for a worker" });
      if (silentMs > options.workerWaitMs) {
        lostReason ??= `no worker has ${state?.worker === undefined ? "claimed it" : "continued it"} for ${Math.round(silentMs / 1000)} s`;
        submitted.withdraw().catch(abort);
      } else if (silentMs > options.leaseMs * 1.5 && !isWarned) {
        isWarned = true;
        notice(
          state?.worker === undefined
            ? "Waiting for a worker."
            : `The worker ${state.worker} is silent. Another worker adopts the job if one is available.`,
        ).catch(abort);
      }
    }, everyMs);
    return {
      heard() {
        silence.heard();
        isWarned = false;
      },
      end: () => clearInterval(timer),
    };
  };
  /** Without the bus, silence says nothing about the agent. Tells its watchdog that it only waits. */
  const reportBusAway = () => {
    recorder.live({ type: "turn.waiting", turn: 0, reason: "the bus is not reachable" });
    for (const { call } of conversation.openCalls())
      recorder.live({ type: "tool.progress", callId: call.callId, text: "" });
  };
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
    if (lostReason !== undefined) return { reason: "failed", detail: lostReason, turns: 0 };
    const verdict = stopping?.verdict;
    return verdict === undefined
      ? { reason: "interrupted", turns: 0 }
      : { reason: "failed", detail: verdict, turns: 0 };
  };

  const interrupt = async (verdict?: string) => {
    stopping ??= { verdict };
    const running = run;
    if (!running || isOver) return;
    try {
      if (isLeft) return void (await running.catch(() => undefined));
      if (receiver.state()?.status === "held") await job?.order({ kind: "interrupt" });
      else await job?.withdraw();
      const isDone = await Promise.race([
        running.then(
          () => true,
          () => true,
        ),
        clock.sleep(options.leaseMs * 1.5, over.signal).then(
          () => false,
          () => true,
        ),
      ]);
      // The worker does not answer. Withdraw the job, so that its later results do not count.
      if (!isDone) await job?.withdraw();
      if (!isDone && !job) over.abort();
    } catch (error) {
      abort(error);
    }
    await running.catch(() => undefined);
  };

  return {
    path: options.path,
    get running() {
      return run !== undefined && !isOver;
    },
    async admit(source, parts) {
      const promptId = createId<PromptId>("prm");
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
      if (!run) prompts.push({ promptId, parts: [...parts] });
      else if (job && !isOver) await job.order({ kind: "say", promptId, parts: [...parts] });
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
      if (!run) run = runJob();
      else if (isOver) run = Promise.resolve({ reason: "failed", detail: oneTaskMessage, turns: 0 });
      // `settled` reports a failure. Until then it counts as handled.
      run.catch(() => undefined);
    },
    interrupt: (how) => interrupt(how?.verdict),
    async close() {
      await interrupt();
      recorder.leave();
    },
    compact: async () => ({ ok: false, message: "its worker compacts it automatically" }),
    record: recorder.record,
    live: recorder.live,
    async fail(failure) {
      abort(failure);
    },
    settled: async () => run,
    closeOpenCalls: () => closeOpenCalls(conversation, recorder.record),
    state: receiver.state,
    leave() {
      if (!run || isOver) return false;
      isLeft = true;
      job?.leave();
      over.abort();
      return true;
    },
    get isLeft() {
      return isLeft;
    },
    forget: async () => job?.forget(),
  };
}

const oneTaskMessage =
  "An agent with isolation: remote does only one task, and its clone no longer exists. Start another agent for the rest. Its commits are on its branch.";
