import { type Envelope, type EventId, jobWaitDetail } from "../../protocol/index.ts";
import { jobName, type JobWait } from "./job-wait.ts";
import type { LeadReports } from "./lead-reports.ts";
import type { PresencePublisher } from "./publish-presence.ts";
import type { RunnerPhase } from "./runner-life.ts";
import type { ShutdownHandshake } from "./shutdown-handshake.ts";
import type { TaskClaimer } from "./task-claimer.ts";
import type { UnreportedWork } from "./unreported-work.ts";
import type { TeammateRunnerOptions } from "./teammate-runner.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** The steps of a teammate whose run has ended: continue, be sent back to work, or report and become idle. */
export interface IdleSteps {
  afterIdle(idleEvent: EventId, idle: Idle): Promise<void>;
  /** A background job has ended. If that did not wake the teammate, it may be idle now. */
  afterJob(): void;
}

export interface IdleStepsPorts
  extends Pick<TeammateRunnerOptions, "agent" | "conversation" | "unreadMail" | "beforeIdle"> {
  readonly phase: () => RunnerPhase;
  readonly unreported: UnreportedWork;
  readonly shutdown: Pick<ShutdownHandshake, "hasAgreed" | "remind">;
  readonly reports: Pick<LeadReports, "reportIdle" | "reportLeftJobs">;
  readonly claimer: Pick<TaskClaimer, "onTurnEnded" | "claimNext">;
  readonly state: Pick<PresencePublisher, "setState" | "published">;
  readonly jobs: JobWait;
  /** Runs one step after the other steps of the teammate. */
  readonly inTurn: (step: () => Promise<void>) => Promise<void>;
  readonly onBroken: (error: unknown, idleEvent: EventId) => void;
}

const maxTimesSentBack = 10;

export function createIdleSteps(ports: IdleStepsPorts): IdleSteps {
  const { agent, unreported, shutdown, reports, claimer, state, jobs } = ports;
  let timesSentBack = 0;
  let waitsForJobs = false;

  /**
   * True if it has more to do: it works, it worked after this idle event, or mail will wake it. A later idle report
   * covers this one.
   */
  const hasMoreWork = (idleEvent: EventId, { reason }: Idle) =>
    ports.phase() === "closed" ||
    agent.running ||
    (unreported.lastIdleEvent ?? idleEvent) !== idleEvent ||
    (reason === "completed" && ports.conversation.hasReason);

  /**
   * Also considers mail on its way from the inbox. The check comes last, because mail that left the inbox meets its
   * condition by then.
   */
  const willContinue = async (idleEvent: EventId, idle: Idle) => {
    if (hasMoreWork(idleEvent, idle)) return true;
    const isAwaited = idle.reason === "completed" && (await ports.unreadMail()).length > 0;
    return isAwaited || hasMoreWork(idleEvent, idle);
  };

  const isSentBack = async ({ reason }: Idle): Promise<boolean> => {
    const prompt = reason === "completed" && timesSentBack < maxTimesSentBack ? await ports.beforeIdle() : undefined;
    timesSentBack = prompt === undefined ? 0 : timesSentBack + 1;
    if (prompt === undefined) return false;
    await agent.admit("hook", [{ type: "text", text: prompt }]);
    agent.wake();
    return true;
  };

  const onIdle = async (idleEvent: EventId, idle: Idle) => {
    const isEnding = ports.phase() === "leaving" || shutdown.hasAgreed;
    if (isEnding || (await willContinue(idleEvent, idle)) || (await shutdown.remind(idle))) return;
    if ((await isSentBack(idle)) || (await willContinue(idleEvent, idle))) return;
    // Report before publishing idle, and claim a task first, so that no observer sees it idle too early.
    await reports.reportIdle(idleEvent);
    claimer.onTurnEnded();
    await claimer.claimNext();
    if (hasMoreWork(idleEvent, idle)) return;
    if (idle.reason === "completed" && jobs.awaited().length > 0) return waitForJobs();
    await becomeIdle(idle.detail ?? idle.reason);
  };

  const becomeIdle = async (detail: string) => {
    waitsForJobs = false;
    state.setState("idle", detail);
    await state.published();
  };

  const waitForJobs = async () => {
    waitsForJobs = true;
    const awaited = jobs.awaited();
    const since = new Date(Math.min(...awaited.map(({ startedAt }) => startedAt))).toISOString();
    state.setState("working", jobWaitDetail(awaited.map(jobName)), since);
    jobs.start(() => void ports.inTurn(() => checkWait(reports.reportLeftJobs)));
    await state.published();
  };

  /** The wait is over if nothing else has begun and no job is left to wait for. */
  const checkWait = async (report?: () => Promise<void>) => {
    if (ports.phase() !== "running" || !waitsForJobs || agent.running || jobs.awaited().length > 0) return;
    await report?.();
    await becomeIdle("completed");
  };

  return {
    afterJob: () => void ports.inTurn(() => checkWait()),
    /** The run announces idle before it has fully ended. */
    async afterIdle(idleEvent, idle) {
      try {
        jobs.stop();
        waitsForJobs = false;
        await agent.settled();
        void ports.inTurn(() => onIdle(idleEvent, idle));
      } catch (error) {
        ports.onBroken(error, idleEvent);
      }
    },
  };
}
