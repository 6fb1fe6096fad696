import { type Clock, createSilence } from "../../platform/index.ts";
import type { SubmittedJob } from "../../store/index.ts";

export interface WatchHolderOptions {
  readonly job: Pick<SubmittedJob, "onBeat" | "isConnected">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly leaseMs: number;
  readonly workerWaitMs: number;
  isHeld(): boolean;
  /** Nobody has it, or who has it is not heard: told once each time. */
  silent(): Promise<void>;
  /** That has been so for too long. */
  late(ms: number): Promise<unknown>;
  onFailure(error: unknown): void;
}

export interface HolderWatch {
  heard(): void;
  /** For longer than a lease. */
  isSilent(): boolean;
  end(): void;
}

/** Notices that nobody works on a job. A bus that is away is no silence of the worker's. */
export function watchHolder(options: WatchHolderOptions): HolderWatch {
  const { clock, job } = options;
  const everyMs = options.leaseMs / 5;
  const silence = createSilence(clock, everyMs);
  let isTold = false;
  let isLate = false;
  const heard = () => {
    silence.heard();
    isTold = false;
  };
  const unlisten = job.onBeat(() => {
    if (options.isHeld()) heard();
  });
  const look = setInterval(() => {
    if (!job.isConnected()) silence.heard();
    const silentMs = silence.ms();
    if (silentMs > options.workerWaitMs && !isLate) {
      isLate = true;
      options.late(silentMs).catch(options.onFailure);
    } else if (silentMs > options.leaseMs * 1.5 && !isTold) {
      isTold = true;
      options.silent().catch(options.onFailure);
    }
  }, everyMs);
  return {
    heard,
    isSilent: () => silence.ms() > options.leaseMs,
    end() {
      clearInterval(look);
      unlisten();
    },
  };
}
