import {
  type Conversation,
  type ReceivingRecorder,
  type RunOutcome,
  closeOpenCalls,
  tokensIn,
} from "../../agent/index.ts";
import {
  type AgentId,
  type Event,
  type EventId,
  LiveEvent,
  type PermissionAnswer,
  type RequestId,
  StoredEvent,
} from "../../protocol/index.ts";
import type { JobNews, SubmittedJob } from "../jobs/work-bus.ts";
import type { JobState } from "../jobs/job.ts";
import type { RemoteSession } from "./remote-session.ts";
import { createBudgetShare } from "./budget-share.ts";
import { type ReceivedPosition, receivedEventId } from "./received-event-id.ts";

export interface JobReceiverOptions {
  readonly agent: AgentId;
  readonly conversation: Conversation;
  readonly recorder: ReceivingRecorder;
  readonly shared: Pick<RemoteSession, "ask" | "session">;
  /** Ids of events that a previous run of the session already stored in the log. */
  readonly known: ReadonlySet<EventId>;
  /** Aborts when no more questions are asked or answered. */
  readonly over: AbortSignal;
  /** Aborts the job after a failure in the background. */
  abort(error: unknown): void;
}

type JobReport = Extract<JobNews, { kind: "report" }>["report"];
type JobQuestion = Extract<JobReport, { kind: "question" }>["question"];
type BudgetRequest = Extract<JobReport, { kind: "budget" }>;

/** Stores the news of a job in its agent's log, each event once, and answers its worker's questions. */
export interface JobReceiver {
  /** Returns the outcome when the job has ended. "too often" means that too many workers have claimed it. */
  receive(news: JobNews, job: SubmittedJob): Promise<RunOutcome | "withdrawn" | "too often" | undefined>;
  state(): JobState | undefined;
  /** Releases the unspent budget. */
  end(): void;
}

export function createJobReceiver(options: JobReceiverOptions): JobReceiver {
  const { agent, recorder, conversation, shared, over, abort } = options;
  const known = new Set(options.known);
  const share = createBudgetShare(shared.session.budget.ledger);
  const questions = createJobQuestions(options);
  let state: JobState | undefined;
  let isCaughtUp = false;
  /** The worker's last open budget request, and the total granted so far. */
  let asked: (BudgetRequest & { isAnswered?: boolean }) | undefined;
  let given: BudgetRequest["keeps"] | undefined;

  /** Returns false if the event was already stored. */
  const storeOnce = async (place: ReceivedPosition, event: StoredEvent): Promise<boolean> => {
    const id = receivedEventId(agent, place);
    if (known.has(id)) return false;
    await recorder.recordAs(id, event);
    known.add(id);
    return true;
  };

  const startGeneration = async (next: JobState): ReturnType<JobReceiver["receive"]> => {
    const before = state;
    state = next;
    const { generation, folder } = next;
    if (generation > (before?.generation ?? 0)) {
      questions.clear();
      share.close();
      asked = given = undefined;
      if (next.status === "held" && !(await begin(next, before))) return "too often";
    }
    if (next.status === "withdrawn") return "withdrawn";
    if (next.status === "returned") return endOf(next);
    if (folder !== undefined && folder !== before?.folder)
      await storeOnce({ generation, number: 0, index: 1 }, { type: "agent.changed", cwd: folder });
    return undefined;
  };

  const begin = async (next: JobState, before: JobState | undefined): Promise<boolean> => {
    const { generation } = next;
    const place = { generation, number: 0, index: 0 };
    if (known.has(receivedEventId(agent, place))) return true;
    await closeOpenCalls(conversation, recorder.record);
    if (generation > maxGenerations) return false;
    await storeOnce(place, workerNotice(next, before));
    return true;
  };

  const take = async (event: Event, place: ReceivedPosition) => {
    const stored = StoredEvent.safeParse(event);
    if (!stored.success) {
      // Deltas of text that is already complete are not shown.
      if (isCaughtUp) recorder.live(LiveEvent.parse(event));
      return;
    }
    const isNew = await storeOnce(place, stored.data);
    if (stored.data.type !== "cost.recorded") return;
    const amount = { usd: stored.data.costUsd, tokens: tokensIn(stored.data.usage) };
    if (isNew) share.spend(amount);
    else share.countEarlier(amount);
  };

  const answerAsked = async ({ generation, number, ...wanted }: BudgetRequest, job: SubmittedJob) => {
    try {
      const grant = await share.grant(wanted, over);
      await job.order({ kind: "budget", generation, number, ...grant }, over);
    } catch (error) {
      if (!over.aborted) throw error;
    }
  };

  /** Answers that a previous run of the session gave are known by now and are not repeated. */
  const answerAll = (job: SubmittedJob) => {
    if (!isCaughtUp && given) share.restoreGrant(given);
    isCaughtUp = true;
    questions.answer(job);
    if (asked && !asked.isAnswered) {
      asked.isAnswered = true;
      answerAsked(asked, job).catch(abort);
    }
  };

  const applyOrder = (order: Extract<JobNews, { kind: "order" }>["order"]) => {
    if (order.kind === "answer") questions.settle(order.requestId);
    if (order.kind !== "budget" || order.generation !== state?.generation) return;
    given = order.most;
    if (isCaughtUp) share.restoreGrant(given);
    if (asked?.number === order.number) asked = undefined;
  };

  return {
    state: () => state,
    end: share.close,
    async receive(news, job) {
      switch (news.kind) {
        case "state":
          return startGeneration(news.state);
        case "order":
          applyOrder(news.order);
          return undefined;
        case "caught up":
          answerAll(job);
          return undefined;
        case "report": {
          const { report } = news;
          const { generation, number } = report;
          if (report.kind === "question") questions.add(report.question);
          if (report.kind === "budget") {
            asked = report;
            given = report.keeps;
          }
          if (report.kind === "events")
            for (const [index, event] of report.events.entries()) await take(event, { generation, number, index });
          return undefined;
        }
      }
    },
  };
}

function workerNotice({ generation, worker, commits }: JobState, before: JobState | undefined): StoredEvent {
  const base = { type: "notice.raised", code: "remote" } as const;
  if (generation === 1) return { ...base, level: "info", message: `${worker} works on it.` };
  const from = commits ? "from the committed work" : "from the beginning";
  const message = `Worker ${before?.worker ?? "unknown"} was lost; ${worker} continues ${from}.`;
  return { ...base, level: "warning", message };
}

/** The permission questions of a worker. Each is asked once, unless a previous run of the session answered it. */
function createJobQuestions({ shared, over, abort }: JobReceiverOptions) {
  const open = new Map<RequestId, { readonly question: JobQuestion; isAsked: boolean }>();

  const answerOne = async (question: JobQuestion, job: SubmittedJob) => {
    let answer: PermissionAnswer | undefined;
    try {
      answer = await shared.ask(question, over);
    } catch (error) {
      if (over.aborted) return;
      throw error;
    }
    // Permanent rules are stored on this machine, not on the worker's.
    const once: PermissionAnswer =
      answer?.behavior === "allow"
        ? { ...answer, scope: answer.scope === "once" ? "once" : "session" }
        : (answer ?? denied);
    await job.order({ kind: "answer", requestId: question.requestId, answer: once }, over);
  };

  return {
    add: (question: JobQuestion) => open.set(question.requestId, { question, isAsked: false }),
    settle: (id: RequestId) => open.delete(id),
    clear: () => open.clear(),
    answer(job: SubmittedJob) {
      for (const each of open.values()) {
        if (each.isAsked) continue;
        each.isAsked = true;
        answerOne(each.question, job).catch(abort);
      }
    },
  };
}

function endOf({ outcome }: JobState): RunOutcome {
  if (!outcome) return { reason: "failed", detail: "it ended without an outcome", turns: 0 };
  const { reason, detail, turns } = outcome;
  return { reason, turns, ...(detail !== undefined && { detail }) };
}

const denied: PermissionAnswer = {
  behavior: "deny",
  by: "policy",
  message: "no user is available to give it",
};

export const maxGenerations = 5;
