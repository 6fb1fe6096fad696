import { type Agent, backgroundNotification } from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import type { BackgroundId, PromptId, StoredEnvelope, StoredEvent } from "../../protocol/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import type { CrashReport } from "../../team/index.ts";
import {
  type BackgroundEvent,
  type BackgroundEventMore,
  type BackgroundJobs,
  createBackgroundJobs,
  type StopAuthor,
} from "../../tool/index.ts";

export interface BackgroundWork {
  readonly tasks: BackgroundJobs;
  running(): readonly (RunningWork & { readonly kind: "shell" | "agent"; readonly startedAt: number })[];
  /** Reports background jobs that a previous run of the session left unfinished. */
  recover(
    log: readonly StoredEnvelope[],
    report: (started: StartedWork) => Promise<CrashReport | "still running" | undefined>,
  ): Promise<void>;
  /** Stops running jobs without waking the agent. */
  stopRunning(): Promise<void>;
  /** Like `stopRunning`, and refuses new jobs. */
  stopAll(): Promise<void>;
}

export interface RunningWork {
  readonly id: string;
  readonly kind: "shell" | "agent" | "teammate";
  readonly description: string;
}

export interface BackgroundWorkOptions {
  readonly agent: () => Agent;
  readonly opened: OpenedSession;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly secrets?: readonly string[] | undefined;
  /** The user or the parent gets only the last answer of the agent. */
  readonly onlyLastAnswer: boolean;
}

export type StartedWork = Extract<StoredEvent, { type: "background.started" }>;
type EndedWork = Extract<StoredEvent, { type: "background.ended" }>;

/**
 * The background jobs of an agent. Each is recorded and published, and its end is reported to the agent exactly once.
 */
export function createBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { agent, opened, clock, createId, secrets } = options;
  /** Why running jobs are stopped, while they are. */
  let closing: string | undefined;
  const running = new Map<BackgroundId, StartedWork & { readonly startedAt: number }>();

  const onEvent = async (event: BackgroundEvent, { isAgain, report, tail, stoppedBy }: BackgroundEventMore = {}) => {
    switch (event.type) {
      case "background.output":
        return agent().live(event);
      case "background.started":
        running.set(event.backgroundId, { ...event, startedAt: clock.now() });
        return isAgain ? undefined : agent().record(event);
      case "background.ended": {
        const task = running.get(event.backgroundId);
        // Wake the agent before the end is published, so that the session never looks idle in between. While the
        // session closes, the report is only stored, for a later resume.
        try {
          const reason = event.status === "killed" ? (closing ?? stopReason(stoppedBy)) : undefined;
          const hasAnswered = options.onlyLastAnswer && !agent().running;
          if (task) await notifyAgent(task, report ?? commandNotice(task, { ...event, tail, hasAnswered }, reason));
          if (task && closing === undefined) agent().wake();
        } finally {
          running.delete(event.backgroundId);
        }
        return agent().record(event);
      }
    }
  };

  /** The prompt id follows from the job's id, so that repeated attempts and later runs report only once. */
  const notifyAgent = (task: StartedWork, text: string) => {
    const promptId = task.backgroundId.replace(/^bg_/, "prm_") as PromptId;
    return agent().admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
  };

  const tasks = createBackgroundJobs({
    clock,
    createId,
    onEvent,
    onUnreported: (error) => agent().fail(error),
    secrets,
    outputFile: (id) => opened.taskOutputFile(id),
  });
  return {
    tasks,
    running: () => [...running.values()].map(({ backgroundId: id, ...job }) => ({ id, ...job })),
    async recover(log, report) {
      for (const started of unfinished(log)) {
        const { backgroundId } = started;
        const lost = await report(started);
        if (lost === "still running") continue;
        const status = lost === undefined || lost.status === "stopped" ? "killed" : lost.status;
        const end: EndedWork = { type: "background.ended", backgroundId, status, exitCode: null };
        await notifyAgent(started, lost?.text ?? commandNotice(started, end, withProgram));
        await agent().record(end);
      }
    },
    async stopRunning() {
      closing = "the agent that started it ended";
      await Promise.all(tasks.list().map((task) => task.stop()));
      closing = undefined;
    },
    async stopAll() {
      closing = withProgram;
      await tasks.stopAll();
    },
  };
}

const withProgram = "the program ended, and the command with it";

const stopReason = (by: StopAuthor | undefined) => by && { starter: "you stopped it", user: "the user stopped it" }[by];

const commandNotice = (
  task: StartedWork,
  end: EndedWork & { tail?: string | undefined; hasAnswered?: boolean },
  reason: string | undefined,
) =>
  backgroundNotification({ ...task, ...end, id: task.backgroundId, reason, isBrief: reason === stopReason("starter") });

function unfinished(log: readonly StoredEnvelope[]): StartedWork[] {
  const open = new Map<BackgroundId, StartedWork>();
  for (const { event } of log) {
    if (event.type === "background.started") open.set(event.backgroundId, event);
    if (event.type === "background.ended") open.delete(event.backgroundId);
  }
  return [...open.values()];
}
