import type { BackgroundId } from "../protocol/index.ts";

/** The running and finished background work of one session: shells now, agents too later on. */
export interface BackgroundTasks {
  start(work: BackgroundWork): Promise<BackgroundTask>;
  get(id: string): BackgroundTask | undefined;
  list(): readonly BackgroundTask[];
}

/** `run` is started with the file its output goes to; it settles when the work has ended and must end soon after `signal` aborts. */
export interface BackgroundWork {
  readonly kind: "shell";
  readonly description: string;
  run(run: { outputFile: string; signal: AbortSignal; wrote(text: string): void }): Promise<BackgroundEnd>;
}

export interface BackgroundEnd {
  readonly status: "completed" | "failed" | "killed";
  readonly exitCode: number | null;
}

export interface BackgroundTask {
  readonly id: BackgroundId;
  readonly kind: "shell";
  readonly description: string;
  readonly outputFile: string;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly ended: BackgroundEnd | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly done: Promise<BackgroundEnd>;
  stop(): Promise<BackgroundEnd>;
}
