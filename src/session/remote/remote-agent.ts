import type { Agent, Conversation, Recorder, RunOutcome } from "../../agent/index.ts";
import { settleOpenCalls } from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import {
  type AgentPath,
  type Event,
  LiveEvent,
  type PermissionAnswer,
  type PromptId,
  StoredEvent,
  TroupeError,
} from "../../protocol/index.ts";
import type { JobNews, JobSpec, JobState, SubmittedJob } from "../../store/index.ts";
import type { Shared } from "../seat.ts";

export interface RemoteAgentOptions {
  readonly path: AgentPath;
  readonly conversation: Conversation;
  readonly recorder: Recorder;
  readonly shared: Pick<Shared, "ask" | "ledger">;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly leaseMs: number;
  readonly workerWaitMs: number;
  /** Brings the code to the bus, and the job into its line. */
  submit(said: JobSpec["said"]): Promise<SubmittedJob>;
}

/** An agent at work on another machine: what happens to it comes over the bus and goes into its log here. */
export interface RemoteAgent extends Agent {
  /** What is known of its job; undefined while there is none. */
  state(): JobState | undefined;
  forget(): Promise<void>;
}

export function createRemoteAgent(options: RemoteAgentOptions): RemoteAgent {
  const { recorder, conversation, clock, createId } = options;
  const said: JobSpec["said"] = [];
  const over = new AbortController();
  let job: SubmittedJob | undefined;
  let state: JobState | undefined;
  let run: Promise<RunOutcome> | undefined;
  let isOver = false;
  let stopping: { readonly verdict: string | undefined } | undefined;
  let broken: { readonly error: unknown } | undefined;

  const drive = async (): Promise<RunOutcome> => {
    try {
      job = await options.submit(said);
      if (stopping) await job.withdraw();
      return await follow(job);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return { reason: "failed", detail: error.message, turns: 0 };
    } finally {
      over.abort();
      isOver = true;
      await settleOpenCalls(conversation, recorder.record);
    }
  };

  const follow = async (submitted: SubmittedJob): Promise<RunOutcome> => {
    const watch = watchHolder(submitted);
    const stopListening = submitted.onBeat(watch.heard);
    try {
      for await (const news of submitted.news(over.signal)) {
        const outcome = await hear(news, submitted);
        watch.heard();
        if (outcome) return outcome;
      }
      return stopped();
    } finally {
      stopListening();
      watch.end();
    }
  };

  /** Nobody has it, or who has it is silent: that is told, and borne for so long only. */
  const watchHolder = (submitted: SubmittedJob) => {
    let last = clock.monotonic();
    let isTold = false;
    const look = setInterval(() => {
      if (!submitted.isConnected()) last = clock.monotonic();
      const silentMs = clock.monotonic() - last;
      if (state?.status !== "held") recorder.live({ type: "turn.waiting", turn: 0, reason: "it waits for a worker" });
      if (silentMs > options.workerWaitMs) {
        lost ??= `no worker has ${state?.worker === undefined ? "taken it" : "gone on with it"} for ${Math.round(silentMs / 1000)} s`;
        submitted.withdraw().catch(giveUp);
      } else if (silentMs > options.leaseMs * 1.5 && !isTold) {
        isTold = true;
        notice(
          state?.worker === undefined
            ? "It waits for a worker."
            : `The worker ${state.worker} is silent: another one takes over if there is one.`,
        ).catch(giveUp);
      }
    }, options.leaseMs / 5);
    return {
      heard() {
        last = clock.monotonic();
        isTold = false;
      },
      end: () => clearInterval(look),
    };
  };
  let lost: string | undefined;
  const giveUp = (error: unknown) => {
    broken ??= { error };
    over.abort();
  };

  const notice = (message: string) =>
    recorder.record({ type: "notice.raised", level: "warning", code: "remote", message });

  const hear = async (news: JobNews, submitted: SubmittedJob): Promise<RunOutcome | undefined> => {
    if (news.kind === "state") return turnTo(news.state, submitted);
    const { report } = news;
    if (report.kind === "question") return void answer(report.question, submitted).catch(giveUp);
    if (report.kind === "events") for (const event of report.events) await take(event);
    return undefined;
  };

  const turnTo = async (next: JobState, submitted: SubmittedJob): Promise<RunOutcome | undefined> => {
    const before = state;
    state = next;
    if (next.status === "withdrawn") return stopped();
    if (next.status === "returned") return endOf(next);
    if (next.generation > (before?.generation ?? 0)) {
      await settleOpenCalls(conversation, recorder.record);
      if (next.generation > mostGenerations) {
        lost = `${mostGenerations} workers have taken it, and none has finished it`;
        await submitted.withdraw();
        return undefined;
      }
      const from = next.commits ? "from what was committed" : "from the beginning";
      await (next.generation === 1
        ? recorder.record({
            type: "notice.raised",
            level: "info",
            code: "remote",
            message: `${next.worker} works on it.`,
          })
        : notice(`The worker ${before?.worker ?? "that had it"} was lost; ${next.worker} goes on ${from}.`));
    }
    if (next.folder !== undefined && next.folder !== before?.folder)
      await recorder.record({ type: "agent.changed", cwd: next.folder });
    return undefined;
  };

  const take = async (event: Event) => {
    const stored = StoredEvent.safeParse(event);
    if (!stored.success) return recorder.live(LiveEvent.parse(event));
    await recorder.record(stored.data);
    options.shared.ledger.recall(stored.data);
  };

  const answer = async (question: Parameters<Shared["ask"]>[0], submitted: SubmittedJob) => {
    const { requestId } = question;
    let said: PermissionAnswer | undefined;
    try {
      said = await options.shared.ask(question, over.signal);
    } catch (error) {
      if (over.signal.aborted) return;
      throw error;
    }
    const denied: PermissionAnswer = {
      behavior: "deny",
      by: "policy",
      message: "Nobody is there to answer. Go on without it.",
    };
    // What is to last lasts here, and not on a machine that is somebody else's.
    const once: PermissionAnswer =
      said?.behavior === "allow" ? { ...said, scope: said.scope === "once" ? "once" : "session" } : (said ?? denied);
    await submitted.order({ kind: "answer", requestId, answer: once });
  };

  const stopped = (): RunOutcome => {
    if (broken) throw broken.error;
    if (lost !== undefined) return { reason: "failed", detail: lost, turns: 0 };
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
      if (state?.status === "held") await job?.order({ kind: "interrupt" });
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
      // Its worker is not to be had: whatever it does, nothing of it counts from here on.
      if (!isDone) await job?.withdraw();
    } catch (error) {
      giveUp(error);
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
      if (!run) said.push({ promptId, parts: [...parts] });
      else if (job && !isOver) await job.order({ kind: "say", promptId, parts: [...parts] });
      return promptId;
    },
    async admitOnce({ promptId, source, parts }) {
      await recorder.record({ type: "prompt.admitted", promptId, source, parts: [...parts] });
    },
    wake: () => undefined,
    resume() {
      if (!run) run = drive();
      else if (isOver) run = Promise.resolve({ reason: "failed", detail: doesOneThing, turns: 0 });
      // Whoever asks how it went hears of a failure; until then it is nobody's.
      run.catch(() => undefined);
    },
    interrupt: (how) => interrupt(how?.verdict),
    async close() {
      await interrupt();
      recorder.leave();
    },
    compact: async () => ({ ok: false, message: "it is on another machine, which does that by itself" }),
    record: recorder.record,
    live: recorder.live,
    async fail(failure) {
      giveUp(failure);
    },
    settled: async () => run,
    closeOpenCalls: () => settleOpenCalls(conversation, recorder.record),
    state: () => state,
    forget: async () => job?.forget(),
  };
}

function endOf({ outcome }: JobState): RunOutcome {
  if (!outcome) return { reason: "failed", detail: "it said nothing of how it ended", turns: 0 };
  const { reason, detail, turns } = outcome;
  return { reason, turns, ...(detail !== undefined && { detail }) };
}

const doesOneThing =
  "An agent with isolation: remote does one task, and its clone is gone with it. Start another one for what is left; what it has committed is on its branch.";

const mostGenerations = 5;
