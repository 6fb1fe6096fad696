import type { Agent, Conversation } from "../../agent/index.ts";
import type { Envelope, EventId, Mail } from "../../protocol/index.ts";
import type { LeadReports } from "./lead-reports.ts";
import type { PresencePublisher } from "./publish-presence.ts";
import type { RunnerPhase } from "./runner-life.ts";
import type { ShutdownHandshake } from "./shutdown-handshake.ts";
import type { TaskClaimer } from "./task-claimer.ts";
import type { UnreportedWork } from "./unreported-work.ts";

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

/** The steps of a teammate whose run has ended: continue, be sent back to work, or report and become idle. */
export interface IdleSteps {
  afterIdle(idleEvent: EventId, idle: Idle): Promise<void>;
}

export interface IdleStepsPorts {
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "hasReason">;
  readonly phase: () => RunnerPhase;
  readonly unreported: UnreportedWork;
  /** Mail that will wake it. */
  readonly unreadMail: () => Promise<readonly Mail[]>;
  /** Runs the idle hooks. Returns the prompt that sends it back to work if it should not be idle yet. */
  readonly beforeIdle: () => Promise<string | undefined>;
  readonly shutdown: Pick<ShutdownHandshake, "hasAgreed" | "remind">;
  readonly reports: Pick<LeadReports, "reportIdle">;
  readonly claimer: Pick<TaskClaimer, "onTurnEnded" | "claimNext">;
  readonly state: Pick<PresencePublisher, "setState" | "published">;
  /** Runs one step after the other steps of the teammate. */
  readonly inTurn: (step: () => Promise<void>) => Promise<void>;
  readonly onBroken: (error: unknown, idleEvent: EventId) => void;
}

const maxTimesSentBack = 10;

export function createIdleSteps(ports: IdleStepsPorts): IdleSteps {
  const { agent, unreported, shutdown, reports, claimer, state } = ports;
  let timesSentBack = 0;

  /**
   * True if it has more to do: it works, it worked after this idle event, or mail will wake it. A later idle report
   * covers this one.
   */
  const hasMoreWork = (idleEvent: EventId, { reason }: Idle) =>
    ports.phase() === "closed" ||
    agent().running ||
    (unreported.lastIdleEvent ?? idleEvent) !== idleEvent ||
    (reason === "completed" && ports.conversation().hasReason);

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
    await agent().admit("hook", [{ type: "text", text: prompt }]);
    agent().wake();
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
    state.setState("idle", idle.detail ?? idle.reason);
    await state.published();
  };

  return {
    /** The run announces idle before it has fully ended. */
    async afterIdle(idleEvent, idle) {
      try {
        await agent().settled();
        void ports.inTurn(() => onIdle(idleEvent, idle));
      } catch (error) {
        ports.onBroken(error, idleEvent);
      }
    },
  };
}
