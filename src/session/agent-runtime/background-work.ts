import { type Agent, backgroundNotification } from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import type { BackgroundId, PromptId, StoredEnvelope, StoredEvent } from "../../protocol/index.ts";
import type { OpenedSession } from "../../store/index.ts";
import type { CrashReport } from "../../team/index.ts";
import { type BackgroundEvent, type BackgroundJobs, createBackgroundJobs } from "../../tool/index.ts";

export interface BackgroundWork {
  readonly tasks: BackgroundJobs;
  running(): readonly (RunningWork & { readonly kind: "shell" | "agent" })[];
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
}

export type StartedWork = Extract<StoredEvent, { type: "background.started" }>;
type EndedWork = Extract<StoredEvent, { type: "background.ended" }>;

/**
 * The background jobs of an agent. Each is recorded and published, and its end is reported to the agent exactly once.
 */
export function createBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { agent, opened, clock, createId, secrets } = options;
  let closing = false;
  const running = new Map<BackgroundId, StartedWork>();

  const onEvent = async (event: BackgroundEvent, report?: string) => {
    switch (event.type) {
      case "background.output":
        return agent().live(event);
      case "background.started":
        running.set(event.backgroundId, event);
        return report === "again" ? undefined : agent().record(event);
      case "background.ended": {
        const task = running.get(event.backgroundId);
        // Wake the agent before the end is published, so that the session never looks idle in between. While the
        // session closes, the report is only stored, for a later resume.
        try {
          if (task) await notifyAgent(task, event, report);
          if (task && !closing) agent().wake();
        } finally {
          running.delete(event.backgroundId);
        }
        return agent().record(event);
      }
    }
  };

  /** The prompt id follows from the job's id, so that repeated attempts and later runs report only once. */
  const notifyAgent = (task: StartedWork, end: EndedWork, report: string | undefined) => {
    const text = report ?? backgroundNotification({ ...task, ...end, id: task.backgroundId });
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
    running: () => [...running.values()].map(({ backgroundId: id, kind, description }) => ({ id, kind, description })),
    async recover(log, report) {
      for (const started of unfinished(log)) {
        const { backgroundId } = started;
        const lost = await report(started);
        if (lost === "still running") continue;
        const status = lost === undefined || lost.status === "stopped" ? "killed" : lost.status;
        const end: EndedWork = { type: "background.ended", backgroundId, status, exitCode: null };
        await notifyAgent(started, end, lost?.text);
        await agent().record(end);
      }
    },
    async stopRunning() {
      closing = true;
      await Promise.all(tasks.list().map((task) => task.stop()));
      closing = false;
    },
    async stopAll() {
      closing = true;
      await tasks.stopAll();
    },
  };
}

function unfinished(log: readonly StoredEnvelope[]): StartedWork[] {
  const open = new Map<BackgroundId, StartedWork>();
  for (const { event } of log) {
    if (event.type === "background.started") open.set(event.backgroundId, event);
    if (event.type === "background.ended") open.delete(event.backgroundId);
  }
  return [...open.values()];
}
