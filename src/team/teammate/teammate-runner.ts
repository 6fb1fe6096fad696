import { type Agent, type Conversation, isDiskFull } from "../../agent/index.ts";
import type { Clock, ProcessIdentity } from "../../platform/index.ts";
import {
  type Envelope,
  type EventId,
  type Mail,
  type MailBody,
  messageOf,
  type PromptId,
  type RequestId,
  teamLead,
  type WorkItem,
  type WorkItemId,
} from "../../protocol/index.ts";
import type { OwnPresence, TaskList } from "../../store/index.ts";
import { createClaimableTasks } from "./claimable-tasks.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";
import { createPresencePublisher } from "./publish-presence.ts";
import { tasksWithDiskFullRetry } from "../storage/disk-full-retry-team.ts";
import { farewellReportBody, idleReportBody } from "./idle-report.ts";
import { createUnreportedWork } from "./unreported-work.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Why a member ends: it agreed, it was ended, it failed, or it is suspended (`rest`) until its team is resumed. */
export type MemberEnd = "shutdown" | "killed" | "failed" | "rest";

/** Runs a teammate: it works, reports idle with its result, and waits for mail or a task it can claim. */
export interface TeammateRunner {
  readonly handlers: MailHandlers;
  /** Receives everything its agents store, in order. */
  observe(envelope: Envelope): void;
  /** Resumes the work of a previous run, then waits. */
  start(): Promise<void>;
  /** Marks it busy at once when it gets work, so that no observer sees it idle. */
  markBusy(): void;
  /** It or a subagent waits for this permission. Undefined: none waits. */
  setWaitReason(question: string | undefined): void;
  /** Resolves when its published state is on disk. */
  statePublished(): Promise<void>;
  /** The shutdown request that waits for an answer. */
  readonly shutdownRequest: RequestId | undefined;
  answerShutdown(answer: { approve: boolean; reason?: string | undefined }): Promise<void>;
  /** Reports a fatal error to the lead and ends. */
  failWith(error: unknown): void;
  /** Resolves when nothing of it is in progress. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface TeammateRunnerOptions {
  readonly name: string;
  readonly link: () => InboxConsumer;
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "hasReason">;
  readonly tasks: TaskList;
  readonly presence: OwnPresence;
  /** The names of its tools. */
  readonly tools: () => readonly string[];
  readonly holder: ProcessIdentity;
  /** The claims it holds, with their generations. Its tools write with them. */
  readonly claims: Map<WorkItemId, number>;
  /** Unread mail that is not in its conversation yet. */
  readonly unreadMail: () => Promise<readonly Mail[]>;
  /** Runs the idle hooks. Returns the objection if it should not be idle yet. */
  readonly beforeIdle: () => Promise<string | undefined>;
  /** Awaited before each idle report, so that the lead can see its work. */
  readonly prepareReport?: (() => Promise<void>) | undefined;
  readonly sentBackPrompt: (objection: string) => string;
  /** `waited`: it owned the task already, but the task was blocked. */
  readonly claimPrompt: (task: WorkItem, how: "free" | "waited") => string;
  readonly setMode: (wanted: Extract<MailBody, { kind: "mode_set_request" }>) => Promise<void>;
  /** True if the mail was about a previous run of the member, so that this run ignores it. */
  readonly isOutdated: (mail: Mail) => boolean;
  /** The stored events of previous runs. */
  readonly replayed: readonly Pick<Envelope, "id" | "at" | "event">[];
  readonly onEnd: (end: MemberEnd, detail: string | undefined) => void;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
}

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;
const maxTimesSentBack = 10;

export function createTeammateRunner(options: TeammateRunnerOptions): TeammateRunner {
  const { name, presence, agent } = options;
  const closeController = new AbortController();
  const tasks = tasksWithDiskFullRetry(options.tasks, { clock: options.clock, signal: closeController.signal });
  const unreported = createUnreportedWork();
  const claimableTasks = createClaimableTasks(name, options.tools);
  for (const envelope of options.replayed) unreported.apply(envelope);
  let timesSentBack = 0;
  let shutdown: { requestId: RequestId; settle: () => void } | undefined;
  let isLeaving = false;
  /** It has agreed to end, and ends when the call that said so has its result. */
  let hasAgreedToEnd = false;
  let root: Envelope["agent"] | undefined;
  const retry = { clock: options.clock, signal: closeController.signal };
  let work: Promise<void> = Promise.resolve();
  let following: Promise<void> = Promise.resolve();
  let wasFollowing = false;

  /** Runs steps in sequence, so that state and reports are written in the order of events. */
  const inTurn = (step: () => Promise<void>) => {
    const done = work.then(step);
    // Reported here; later steps run anyway.
    work = done.catch(fail);
    return done;
  };
  /** Ignore disk-full errors while ending: the next run resumes what could not be written. */
  const fail = (error: unknown) => {
    if (!closeController.signal.aborted || !isDiskFull(error)) options.onFailure(error);
  };
  const state = createPresencePublisher({
    presence,
    isDraining: () => shutdown !== undefined,
    retry,
    onFailure: fail,
  });

  /**
   * True if it has more to do: it works, it worked after this idle event, or mail will wake it. A later idle report
   * covers this one.
   */
  const hasMoreWork = (idleEvent: EventId, { reason }: Idle) =>
    closeController.signal.aborted ||
    agent().running ||
    (unreported.lastIdleEvent ?? idleEvent) !== idleEvent ||
    (reason === "completed" && options.conversation().hasReason);

  /** Retries an inbox that cannot be read now: a read error is neither an empty inbox nor fatal. */
  const readUnreadMail = async (): Promise<readonly Mail[]> => {
    let found: readonly Mail[] = [];
    const look = async () => void (found = await retryWhileDiskFull(options.unreadMail, retry));
    await retryWithBackoff(look, retry).catch((error: unknown) => {
      if (!closeController.signal.aborted) throw error;
    });
    return found;
  };

  /**
   * Also considers mail on its way from the inbox. The check comes last, because mail that left the inbox meets its
   * condition by then.
   */
  const willContinue = async (idleEvent: EventId, idle: Idle) => {
    if (hasMoreWork(idleEvent, idle)) return true;
    const isAwaited = idle.reason === "completed" && (await readUnreadMail()).some(({ body }) => isOrdinaryMail(body));
    return isAwaited || hasMoreWork(idleEvent, idle);
  };

  const onIdle = async (idleEvent: EventId, idle: Idle) => {
    // A member that is ending has already sent its last report.
    if (isLeaving || hasAgreedToEnd || (await willContinue(idleEvent, idle))) return;
    if (idle.reason === "completed" && timesSentBack < maxTimesSentBack) {
      const objection = await options.beforeIdle();
      if (objection !== undefined) {
        timesSentBack += 1;
        await agent().admit("hook", [{ type: "text", text: options.sentBackPrompt(objection) }]);
        return agent().wake();
      }
    }
    timesSentBack = 0;
    if (await willContinue(idleEvent, idle)) return;
    // Report before publishing idle, and claim a task first, so that no observer sees it idle too early.
    await reportToLead(idleEvent);
    await claimNext();
    if (hasMoreWork(idleEvent, idle)) return;
    state.setState("idle", idle.detail ?? idle.reason);
    await state.published();
  };

  /** The run announces idle before it has fully ended. */
  const afterSettled = async (idleEvent: EventId, idle: Idle) => {
    try {
      await agent().settled();
      void inTurn(() => onIdle(idleEvent, idle));
    } catch (error) {
      stopAsBroken(error, idleEvent);
    }
  };

  /** Stop instead of staying alive without reading mail: the lead would never notice. */
  const stopAsBroken = (error: unknown, idleEvent = unreported.lastIdleEvent) => {
    if (isLeaving || closeController.signal.aborted) return;
    const detail = messageOf(error);
    void inTurn(() => reportFailure(idleEvent, detail));
    endWith("failed", detail);
  };

  const reportFailure = async (idleEvent: EventId | undefined, detail: string) => {
    if (idleEvent !== undefined) return reportToLead(idleEvent, { type: "agent.idle", reason: "failed", detail });
    const body: MailBody = { kind: "idle_notification", idleReason: "failed", failureReason: detail };
    await options.link().send({ to: teamLead, body, wakes: true });
  };

  const reportToLead = async (idleEvent: EventId, instead?: Idle) => {
    const report = unreported.reportUntil(idleEvent);
    if (!report) return;
    const body = idleReportBody(report, instead ?? report.idle);
    if (!body) return;
    await options.prepareReport?.();
    await options.link().send({ id: report.mailId, to: teamLead, body, wakes: body.idleReason === "failed" });
  };

  /** Reports what is unreported before it agrees to end, because nothing comes from it afterwards. */
  const sendFarewell = async () => {
    const report = unreported.reportUntilNow();
    const body = report && farewellReportBody(report);
    if (body) await options.link().send({ id: report.mailId, to: teamLead, body, wakes: false });
  };

  /** Claims the lowest task that is free and that it can do. The task list decides between several claimers. */
  const claimNext = async () => {
    if (closeController.signal.aborted || shutdown || isLeaving || agent().running || options.conversation().hasReason)
      return;
    const list = await tasks.list();
    if (list.some((task) => task.owner === name && task.status === "in_progress")) return;
    for (const task of claimableTasks.claimableIn(list)) {
      // Mail comes first.
      if ((await readUnreadMail()).some((mail) => isOrdinaryMail(mail.body) || !options.isOutdated(mail))) return;
      if (closeController.signal.aborted) return;
      const answer = await tasks.claim(task.id, { name, tools: options.tools(), holder: options.holder });
      if (answer.ok) return startTask(answer.item, task.owner === name ? "waited" : "free");
      // A claim that was reported as failed may have been written after all.
      if (answer.item?.owner === name && answer.item.status === "in_progress" && !options.claims.has(task.id))
        return startTask(answer.item);
      if (answer.reason === "busy") return;
    }
  };

  /** Claims the task of its previous run again, which was released in the meantime, if no other member has it. */
  const reclaim = async (): Promise<WorkItem | undefined> => {
    const unfinished = unfinishedIn(options.replayed);
    if (unfinished === undefined) return undefined;
    const answer = await tasks.claim(unfinished, { name, tools: options.tools(), holder: options.holder });
    return answer.ok ? answer.item : undefined;
  };

  const startTask = async (task: WorkItem, how: "free" | "waited" = "free") => {
    const { id: taskId, subject } = task;
    options.claims.set(taskId, task.generation);
    const promptId = promptFor(task);
    if (!(await agent().hasPrompt(promptId))) {
      await agent().record({ type: "task.claimed", team: options.link().team, taskId, subject });
      const parts = [{ type: "text" as const, text: options.claimPrompt(task, how) }];
      await agent().admitOnce({ promptId, source: "agent", parts });
    }
    agent().wake();
  };

  const followTasks = async () => {
    // Changes during a read failure are not reported later, so check the whole list.
    if (wasFollowing)
      void inTurn(async () => {
        claimableTasks.loadList(await tasks.list());
        await claimNext();
      });
    wasFollowing = true;
    for await (const change of tasks.follow(closeController.signal)) {
      const { what, freed } = change;
      claimableTasks.observe(change);
      if (what === "created" || what === "released" || what === "changed" || freed.length > 0) void inTurn(claimNext);
    }
  };

  const endWith = (end: MemberEnd, detail?: string) => {
    if (isLeaving) return;
    isLeaving = true;
    options.onEnd(end, detail);
  };

  return {
    handlers: {
      shutdown_request: (mail, { requestId, reason }, admit) => ({
        later: new Promise<void>((settle, fail) => {
          if (options.isOutdated(mail)) return settle();
          // Only the latest request gets an answer.
          shutdown?.settle();
          shutdown = { requestId, settle };
          state.setDraining(reason ?? "asked to end");
          admit().catch(fail);
        }),
      }),
      interrupt_request: async (mail) => {
        if (!options.isOutdated(mail)) await agent().interrupt();
      },
      stop_request: async (mail, { keep, reason }) => {
        if (!options.isOutdated(mail)) endWith(keep ? "rest" : "killed", reason);
      },
      mode_set_request: (_, wanted) => options.setMode(wanted),
    },
    observe(envelope) {
      const { event, agent: id } = envelope;
      root ??= id;
      if (id !== root) return;
      unreported.apply(envelope);
      switch (event.type) {
        case "turn.started":
          return state.setState("working");
        case "agent.idle":
          return void afterSettled(envelope.id, event);
        case "tool.settled":
          if (shutdown === undefined && hasAgreedToEnd) endWith("shutdown");
          return;
        default:
          return;
      }
    },
    async start() {
      following = retryWithBackoff(followTasks, retry);
      following.catch((error: unknown) => {
        if (!closeController.signal.aborted) options.onFailure(error);
      });
      await inTurn(async () => {
        if (unreported.lastIdleEvent !== undefined) await reportToLead(unreported.lastIdleEvent);
        const list = await tasks.list();
        claimableTasks.loadList(list);
        const ownTask = list.find((task) => task.owner === name && task.status === "in_progress");
        // A running agent publishes its own state, and may already wait for a permission.
        if (!agent().running) state.setState("idle");
        await state.published();
        const currentTask = ownTask ?? (await reclaim());
        if (currentTask && currentTask.generation > 0) await startTask(currentTask);
        else await claimNext();
        // It ended before it could report idle.
        if (unreported.hasAnswered && !agent().running) agent().wake();
      });
    },
    markBusy() {
      if (state.isIdle) state.setState("working");
    },
    setWaitReason: state.setWaitReason,
    statePublished: state.published,
    get shutdownRequest() {
      return shutdown?.requestId;
    },
    async answerShutdown({ approve, reason }) {
      if (!shutdown) throw new Error("no shutdown request is open");
      const { settle } = shutdown;
      const answered = { requestId: shutdown.requestId };
      if (approve) await sendFarewell();
      const body: MailBody = approve
        ? { kind: "shutdown_approved", ...answered }
        : { kind: "shutdown_rejected", ...answered, reason: reason ?? "it gave no reason" };
      await options.link().send({ to: teamLead, body, wakes: !approve });
      shutdown = undefined;
      hasAgreedToEnd = approve;
      if (!approve) state.setState("working");
      settle();
    },
    failWith: (error) => stopAsBroken(error),
    settled: async () => {
      await work;
    },
    async close() {
      closeController.abort(new DOMException("the member has left", "AbortError"));
      await Promise.allSettled([work, following]);
    },
  };
}

/** Excludes shutdown requests: one may be the last mail it reads, so it reports its work first. */
const isOrdinaryMail = ({ kind }: MailBody): boolean => kind !== "shutdown_request";

/** Derived from the task and its claim, so that the prompt is added only once. */
const promptFor = ({ id, generation }: WorkItem): PromptId =>
  `prm_t${String(id).padStart(8, "0")}g${String(generation).padStart(6, "0")}` as PromptId;

/** The task that it claimed last and did not finish. */
function unfinishedIn(replayed: readonly Pick<Envelope, "event">[]): WorkItemId | undefined {
  let last: WorkItemId | undefined;
  for (const { event } of replayed) {
    if (event.type === "task.claimed") last = event.taskId;
    if (event.type === "task.updated" && event.taskId === last && event.status !== "in_progress") last = undefined;
  }
  return last;
}
