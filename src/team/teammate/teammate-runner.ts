import { type Agent, type Conversation, isDiskFull } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import { type Envelope, type Mail, type MailBody, messageOf, type RequestId } from "../../protocol/index.ts";
import type { OwnPresence } from "../../store/index.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { createIdleSteps } from "./idle-steps.ts";
import { createRunnerLife } from "./runner-life.ts";
import { createPresencePublisher } from "./publish-presence.ts";
import { tasksWithDiskFullRetry } from "../storage/disk-full-retry-team.ts";
import { createJobWait, type JobWaitOptions } from "./job-wait.ts";
import { createLeadReports, type PrepareReport } from "./lead-reports.ts";
import { createShutdownHandshake, type ShutdownAnswer } from "./shutdown-handshake.ts";
import { type ClaimingPorts, createTaskClaimer } from "./task-claimer.ts";
import { createUnreportedWork } from "./unreported-work.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Why a member ends: it agreed, it was ended, it failed, or it is suspended (`rest`) until its team is resumed. */
export type MemberEnd = "shutdown" | "killed" | "failed" | "rest";

/** Runs a teammate: it works, reports idle with its result, and waits for mail or a task it can claim. */
export interface TeammateRunner {
  readonly handlers: MailHandlers;
  /** Receives everything its agents store, in order. */
  observe(envelope: Envelope): void;
  /** Prepares the first turn of a new teammate, before it reads its mail. */
  beginOwnTask(): Promise<void>;
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
  answerShutdown(answer: ShutdownAnswer): Promise<void>;
  /** Reports a fatal error to the lead and ends. */
  failWith(error: unknown): void;
  /** Resolves when nothing of it is in progress. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface TeammateRunnerOptions extends Pick<JobWaitOptions, "jobs"> {
  /** Sends as this member. */
  readonly sender: MailSender;
  readonly agent: Agent;
  readonly conversation: Pick<Conversation, "hasReason">;
  readonly presence: OwnPresence;
  readonly claiming: ClaimingPorts;
  /** Unread mail that is not in its conversation yet. */
  readonly unreadMail: () => Promise<readonly Mail[]>;
  /** Runs the idle hooks. Returns the prompt that sends it back to work if it should not be idle yet. */
  readonly beforeIdle: () => Promise<string | undefined>;
  readonly prepareReport?: PrepareReport | undefined;
  readonly setMode: (wanted: Extract<MailBody, { kind: "mode_set_request" }>) => Promise<void>;
  /** True if the mail was about a previous run of the member, so that this run ignores it. */
  readonly isOutdated: (mail: Mail) => boolean;
  /** The stored events of previous runs. */
  readonly replayed: readonly Pick<Envelope, "id" | "at" | "event">[];
  readonly onEnd: (end: MemberEnd, detail: string | undefined) => void;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "sleep" | "monotonic" | "now">;
}

export function createTeammateRunner(options: TeammateRunnerOptions): TeammateRunner {
  const { sender, presence, agent, claiming } = options;
  const life = createRunnerLife(options.onEnd);
  const retry = { clock: options.clock, signal: life.signal };
  const unreported = createUnreportedWork();
  for (const envelope of options.replayed) unreported.apply(envelope);
  let root: Envelope["agent"] | undefined;
  const { inTurn, settled } = createSequence((error) => fail(error));

  /** Ignore disk-full errors while ending: the next run resumes what could not be written. */
  const fail = (error: unknown) => {
    if (life.phase !== "closed" || !isDiskFull(error)) options.onFailure(error);
  };
  const hasWork = () => agent.running || options.conversation.hasReason;
  const mail = createMailLook(options, retry);
  const state = createPresencePublisher({
    presence,
    isDraining: () => shutdown.requestId !== undefined,
    retry,
    onFailure: fail,
  });
  const claimer = createTaskClaimer({
    member: sender,
    claiming: { ...claiming, tasks: tasksWithDiskFullRetry(claiming.tasks, retry) },
    agent,
    isBusy: () => life.phase !== "running" || shutdown.requestId !== undefined || hasWork(),
    hasMail: async () => (await mail.unread()).some((each) => isOrdinaryMail(each.body) || !options.isOutdated(each)),
    inTurn,
    replayed: options.replayed,
    retry,
    onFailure: options.onFailure,
  });
  const jobs = createJobWait({ ...options, signal: life.signal });
  const reports = createLeadReports({ ...options, unreported, claimer, jobs });
  const shutdown = createShutdownHandshake({
    ...options,
    onRequest: (reason) => state.setDraining(reason),
    sendFarewell: reports.sendFarewell,
    onRejected: () => state.setState("working"),
  });

  /** Stop instead of staying alive without reading mail: the lead would never notice. */
  const stopAsBroken = (error: unknown, idleEvent = unreported.lastIdleEvent) => {
    if (life.phase !== "running") return;
    const detail = messageOf(error);
    void inTurn(() => reports.reportFailure(idleEvent, detail));
    life.endWith("failed", detail);
  };
  const idleSteps = createIdleSteps({
    ...options,
    phase: () => life.phase,
    unreported,
    unreadMail: mail.ordinary,
    shutdown,
    reports,
    claimer,
    state,
    jobs,
    inTurn,
    onBroken: stopAsBroken,
  });

  return {
    handlers: {
      shutdown_request: shutdown.handler,
      interrupt_request: async (request) => {
        if (!options.isOutdated(request)) await agent.interrupt();
      },
      stop_request: async (request, { keep, reason }) => {
        if (!options.isOutdated(request)) life.endWith(keep ? "rest" : "killed", reason);
      },
      mode_set_request: (_, wanted) => options.setMode(wanted),
    },
    observe(envelope) {
      const { event, agent: id } = envelope;
      root ??= id;
      if (id !== root) return;
      unreported.apply(envelope);
      if (event.type === "turn.started") state.setState("working");
      if (event.type === "background.ended") idleSteps.afterJob();
      if (event.type === "agent.idle") void idleSteps.afterIdle(envelope.id, event);
      if (event.type === "tool.settled" && shutdown.requestId === undefined && shutdown.hasAgreed)
        life.endWith("shutdown");
    },
    beginOwnTask: claimer.beginOwnTask,
    async start() {
      claimer.start();
      await inTurn(async () => {
        if (unreported.lastIdleEvent !== undefined) await reports.reportIdle(unreported.lastIdleEvent);
        // A new member gets its prompt as mail, and is not idle before it has read it.
        const willWork = unreported.hasAnswered || (await mail.ordinary()).length > 0;
        // A running agent publishes its own state, and may already wait for a permission.
        if (!hasWork()) state.setState(willWork ? "working" : "idle");
        await state.published();
        if (!(await claimer.resumeTask())) await claimer.claimNext();
        // It ended before it could report idle.
        if (unreported.hasAnswered && !agent.running) agent.wake();
      });
    },
    markBusy() {
      if (state.isIdle) state.setState("working");
    },
    setWaitReason: state.setWaitReason,
    statePublished: state.published,
    get shutdownRequest() {
      return shutdown.requestId;
    },
    answerShutdown: shutdown.answer,
    failWith: (error) => stopAsBroken(error),
    settled,
    async close() {
      life.close();
      await Promise.allSettled([settled(), claimer.settled()]);
    },
  };
}

/** Runs steps in sequence, so that state and reports are written in the order of events. */
function createSequence(onFailure: (error: unknown) => void) {
  let work: Promise<void> = Promise.resolve();
  return {
    inTurn(step: () => Promise<void>): Promise<void> {
      const done = work.then(step);
      // Reported here; later steps run anyway.
      work = done.catch(onFailure);
      return done;
    },
    settled: () => work,
  };
}

/** Retries an inbox that cannot be read now: a read error is neither an empty inbox nor fatal. */
function createMailLook(
  { unreadMail }: Pick<TeammateRunnerOptions, "unreadMail">,
  retry: { readonly clock: TeammateRunnerOptions["clock"]; readonly signal: AbortSignal },
) {
  const unread = async (): Promise<readonly Mail[]> => {
    let found: readonly Mail[] = [];
    const look = async () => void (found = await retryWhileDiskFull(unreadMail, retry));
    await retryWithBackoff(look, retry).catch((error: unknown) => {
      if (!retry.signal.aborted) throw error;
    });
    return found;
  };
  /** The mail that wakes it. */
  const ordinary = async () => (await unread()).filter(({ body }) => isOrdinaryMail(body));
  return { unread, ordinary };
}

/** Excludes shutdown requests: one may be the last mail it reads, so it reports its work first. */
const isOrdinaryMail = ({ kind }: MailBody): boolean => kind !== "shutdown_request";
