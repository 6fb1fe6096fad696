import { type Clock, createSilence } from "../../platform/index.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";

export interface WatchWorkerOptions {
  readonly job: Pick<SubmittedJob, "onBeat" | "isConnected">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly leaseMs: number;
  readonly workerWaitMs: number;
  isHeld(): boolean;
  /** Called at each check. */
  onCheck?(bus: { readonly isConnected: boolean }): void;
  /** Called once each time the job has no worker or its worker sends no heartbeats. */
  onSilent(): Promise<void>;
  /** Called when that lasts longer than `workerWaitMs`. */
  onLate(ms: number): Promise<unknown>;
  onFailure(error: unknown): void;
}

export interface WorkerWatch {
  onHeartbeat(): void;
  /** True after a lease without a heartbeat. */
  isSilent(): boolean;
  end(): void;
}

/** Notices that no worker runs a job. Time without a bus connection does not count. */
export function watchWorker(options: WatchWorkerOptions): WorkerWatch {
  const { clock, job } = options;
  const everyMs = options.leaseMs / 5;
  const silence = createSilence(clock, everyMs);
  let isReported = false;
  let isLate = false;
  const onHeartbeat = () => {
    silence.heard();
    isReported = false;
  };
  const unlisten = job.onBeat(() => {
    if (options.isHeld()) onHeartbeat();
  });
  const checkTimer = setInterval(() => {
    const isConnected = job.isConnected();
    if (!isConnected) silence.heard();
    options.onCheck?.({ isConnected });
    const silentMs = silence.ms();
    if (silentMs > options.workerWaitMs && !isLate) {
      isLate = true;
      options.onLate(silentMs).catch(options.onFailure);
    } else if (silentMs > options.leaseMs * 1.5 && !isReported) {
      isReported = true;
      options.onSilent().catch(options.onFailure);
    }
  }, everyMs);
  return {
    onHeartbeat,
    isSilent: () => silence.ms() > options.leaseMs,
    end() {
      clearInterval(checkTimer);
      unlisten();
    },
  };
}
