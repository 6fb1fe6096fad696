import { type Agent, type Conversation, isDiskFull } from "../../agent/index.ts";
import type { Clock, ProcessIdentity } from "../../platform/index.ts";
import {
  type Envelope,
  type EventId,
  type Mail,
  type MailBody,
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

/** Why a member ends: it agreed to, it was told to, it broke, or it only rests until its team is taken up again. */
export type MemberEnd = "shutdown" | "killed" | "failed" | "rest";

/** Drives a teammate: works, says that it is idle and what came of it, and waits for mail or for a task it can do. */
export interface TeammateRunner {
  readonly handlers: MailHandlers;
  /** To be told everything its agents store, in order. */
  observe(envelope: Envelope): void;
  /** Takes up what an earlier life has left, then waits. */
  start(): Promise<void>;
  /** It has something to do now: it does not count as idle any more, before anybody could think so. */
  markBusy(): void;
  /** It, or an agent of its, waits to be allowed this; undefined: nobody waits any more. */
  setWaitReason(question: string | undefined): void;
  /** Resolves when what it has said of its state is on disk. */
  statePublished(): Promise<void>;
  /** The request to end that waits for an answer. */
  readonly shutdownRequest: RequestId | undefined;
  answerShutdown(answer: { approve: boolean; reason?: string | undefined }): Promise<void>;
  /** Something that it cannot be without does not work any more: its lead is told, and it ends. */
  failWith(error: unknown): void;
  /** Resolves when nothing of it is under way. */
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
  /** Names of the tools it has. */
  readonly tools: () => readonly string[];
  readonly holder: ProcessIdentity;
  /** The claims it holds, with their generations; its tools write with them. */
  readonly claims: Map<WorkItemId, number>;
  /** What is in its inbox and not in its conversation yet. */
  readonly unreadMail: () => Promise<readonly Mail[]>;
  /** The hooks of its rest: why it should not rest yet. */
  readonly beforeIdle: () => Promise<string | undefined>;
  /** Before its lead is told that it rests: what it has done is where its lead can see it. */
  readonly prepareReport?: (() => Promise<void>) | undefined;
  readonly sentBackPrompt: (objection: string) => string;
  /** `waited`: it was its own already, and blocked. */
  readonly claimPrompt: (task: WorkItem, how: "free" | "waited") => string;
  readonly setMode: (wanted: Extract<MailBody, { kind: "mode_set_request" }>) => Promise<void>;
  /** It was sent to an earlier life of the member's, about that life: this one has nothing to do with it. */
  readonly isOutdated: (mail: Mail) => boolean;
  /** What is stored of earlier lives. */
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
  /** It has agreed to end, and does once the call that said so has its result. */
  let hasAgreedToEnd = false;
  let root: Envelope["agent"] | undefined;
  const retry = { clock: options.clock, signal: closeController.signal };
  let work: Promise<void> = Promise.resolve();
  let following: Promise<void> = Promise.resolve();
  let wasFollowing = false;

  /** One after another: what is written about the member must be as true in the end as it was in between. */
  const inTurn = (step: () => Promise<void>) => {
    const done = work.then(step);
    // Told of here: what comes after it has its turn all the same.
    work = done.catch(fail);
    return done;
  };
  /** What found no space before it had to go is taken up by its next life. */
  const fail = (error: unknown) => {
    if (!closeController.signal.aborted || !isDiskFull(error)) options.onFailure(error);
  };
  const state = createPresencePublisher({
    presence,
    isDraining: () => shutdown !== undefined,
    retry,
    onFailure: fail,
  });

  /** Mail that is waiting will wake it, or it has worked since: who tells of its last rest tells of this one. */
  const hasMoreWork = (idleEvent: EventId, { reason }: Idle) =>
    closeController.signal.aborted ||
    agent().running ||
    (unreported.lastIdleEvent ?? idleEvent) !== idleEvent ||
    (reason === "completed" && options.conversation().hasReason);

  /** An inbox that cannot be read this once is looked into again: it is not empty, and nobody is broken by that. */
  const readUnreadMail = async (): Promise<readonly Mail[]> => {
    let found: readonly Mail[] = [];
    const look = async () => void (found = await retryWhileDiskFull(options.unreadMail, retry));
    await retryWithBackoff(look, retry).catch((error: unknown) => {
      if (!closeController.signal.aborted) throw error;
    });
    return found;
  };

  /** Also for mail that is on its way from its inbox. In this order: what leaves the inbox meanwhile is a reason then. */
  const willContinue = async (idleEvent: EventId, idle: Idle) => {
    if (hasMoreWork(idleEvent, idle)) return true;
    const isAwaited = idle.reason === "completed" && (await readUnreadMail()).some(({ body }) => isOrdinaryMail(body));
    return isAwaited || hasMoreWork(idleEvent, idle);
  };

  const onIdle = async (idleEvent: EventId, idle: Idle) => {
    // Who goes has said so, and that is its last word.
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
    // Nobody sees it idle who has not its report, nor while there is a task for it.
    await reportToLead(idleEvent);
    await claimNext();
    if (hasMoreWork(idleEvent, idle)) return;
    state.setState("idle", idle.detail ?? idle.reason);
    await state.published();
  };

  /** The run that says it is over ends only after it has said so. */
  const afterSettled = async (idleEvent: EventId, idle: Idle) => {
    try {
      await agent().settled();
      void inTurn(() => onIdle(idleEvent, idle));
    } catch (error) {
      stopAsBroken(error, idleEvent);
    }
  };

  /** Nobody would look for one who is there and hears nothing any more. */
  const stopAsBroken = (error: unknown, idleEvent = unreported.lastIdleEvent) => {
    if (isLeaving || closeController.signal.aborted) return;
    const detail = error instanceof Error ? error.message : String(error);
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

  /** What it has not told of yet, before it says that it agrees: after that nothing comes from it. */
  const sendFarewell = async () => {
    const report = unreported.reportUntilNow();
    const body = report && farewellReportBody(report);
    if (body) await options.link().send({ id: report.mailId, to: teamLead, body, wakes: false });
  };

  /** The lowest task that is free and that it can do. Of several who reach for one, the list decides. */
  const claimNext = async () => {
    if (closeController.signal.aborted || shutdown || isLeaving || agent().running || options.conversation().hasReason)
      return;
    const list = await tasks.list();
    if (list.some((task) => task.owner === name && task.status === "in_progress")) return;
    for (const task of claimableTasks.claimableIn(list)) {
      // Whoever has something to say to it comes first.
      if ((await readUnreadMail()).some((mail) => isOrdinaryMail(mail.body) || !options.isOutdated(mail))) return;
      if (closeController.signal.aborted) return;
      const answer = await tasks.claim(task.id, { name, tools: options.tools(), holder: options.holder });
      if (answer.ok) return startTask(answer.item, task.owner === name ? "waited" : "free");
      // A try that was told of as failed may have been written after all.
      if (answer.item?.owner === name && answer.item.status === "in_progress" && !options.claims.has(task.id))
        return startTask(answer.item);
      if (answer.reason === "busy") return;
    }
  };

  /** What it was at when its last life ended was given back meanwhile: it is its own again, if nobody else has taken it. */
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
    // What has changed while nothing could be read is not told again.
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
          // It answers the last who has asked.
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
        // At work it says by itself how it is, and may have done so: it may wait for a permission already.
        if (!agent().running) state.setState("idle");
        await state.published();
        const currentTask = ownTask ?? (await reclaim());
        if (currentTask && currentTask.generation > 0) await startTask(currentTask);
        else await claimNext();
        // It died before it could say that it rests.
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
      if (!shutdown) throw new Error("nobody has asked for an end");
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

/** A request to end is heard as well, but may be the last it hears: what it has done is told before. */
const isOrdinaryMail = ({ kind }: MailBody): boolean => kind !== "shutdown_request";

/** Follows from the task and its claim: however often it is tried, it is said once. */
const promptFor = ({ id, generation }: WorkItem): PromptId =>
  `prm_t${String(id).padStart(8, "0")}g${String(generation).padStart(6, "0")}` as PromptId;

/** The task that it had claimed last and had not come to an end with. */
function unfinishedIn(replayed: readonly Pick<Envelope, "event">[]): WorkItemId | undefined {
  let last: WorkItemId | undefined;
  for (const { event } of replayed) {
    if (event.type === "task.claimed") last = event.taskId;
    if (event.type === "task.updated" && event.taskId === last && event.status !== "in_progress") last = undefined;
  }
  return last;
}
