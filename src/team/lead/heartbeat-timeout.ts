import type { Clock } from "../../platform/index.ts";
import { type MemberStatus, teamLead } from "../../protocol/index.ts";
import { watchdogDefaults } from "../watchdog/stall-watchdog.ts";

/**
 * Aborts members in separate processes that never start or stop sending heartbeats. Otherwise the team would wait for
 * them forever.
 */
export interface HeartbeatTimeout {
  start(): void;
  close(): Promise<void>;
}

export interface HeartbeatTimeoutOptions {
  readonly statuses: () => readonly MemberStatus[];
  /** Refreshes the result of `statuses`. */
  readonly refresh: () => Promise<void>;
  /** True if this lead tracks its process. */
  readonly isRunHere: (name: string) => boolean;
  /** Called once per silence when its lease has ended, so that others may adopt its tasks. */
  readonly onSilent: (name: string) => Promise<void>;
  readonly abort: (name: string, why: string) => Promise<void>;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** How long a member may take to start. */
  readonly startMs?: number | undefined;
  /** How long a started member may be silent after its lease. */
  readonly silentMs?: number | undefined;
  readonly onFailure: (error: unknown) => void;
}

const checkEveryMs = 1_000;

/** After a pause of this process all members seem silent. They have this time to send a heartbeat. */
const graceMs = 2_000;

/** Long for a program that only waits for others, short for callers that wait for it. */
const defaultSilentMs = 20_000;

export function createHeartbeatTimeout(options: HeartbeatTimeoutOptions): HeartbeatTimeout {
  const { clock, startMs = watchdogDefaults.startMs, silentMs = defaultSilentMs } = options;
  const silentSince = new Map<string, { readonly state: string; readonly at: number; isReported: boolean }>();
  const closeController = new AbortController();
  let watching: Promise<void> = Promise.resolve();

  const refresh = async () => {
    for (const status of options.statuses()) {
      const { name, state } = status;
      if (name === teamLead || !isSilent(status) || !options.isRunHere(name)) {
        silentSince.delete(name);
        continue;
      }
      const before = silentSince.get(name);
      const since = before?.state === state ? before : { state, at: clock.monotonic(), isReported: false };
      silentSince.set(name, since);
      const silentForMs = clock.monotonic() - since.at;
      if (state !== "starting" && silentForMs >= graceMs && !since.isReported) {
        since.isReported = true;
        await options.onSilent(name);
      }
      const limitMs = state === "starting" ? startMs : silentMs;
      if (silentForMs < limitMs || !(await isStillSilent(status))) continue;
      silentSince.delete(name);
      const seconds = Math.round(limitMs / 1000);
      await options.abort(
        name,
        state === "starting"
          ? `it was started but did not begin within ${seconds} s`
          : `its process runs but sent no heartbeat for ${seconds} s after its lease ended`,
      );
    }
  };

  /** Refreshes first, so that no member is ended because of an old status. */
  const isStillSilent = async ({ name, state }: MemberStatus): Promise<boolean> => {
    await options.refresh();
    const now = options.statuses().find((status) => status.name === name);
    return now !== undefined && now.state === state && isSilent(now) && options.isRunHere(name);
  };

  const watch = async () => {
    while (!closeController.signal.aborted) {
      await refresh();
      await clock.sleep(checkEveryMs, closeController.signal);
    }
  };

  return {
    start() {
      watching = watch().catch((error: unknown) => {
        if (!closeController.signal.aborted) options.onFailure(error);
      });
    },
    async close() {
      closeController.abort(new DOMException("this process no longer leads the team", "AbortError"));
      await watching;
    },
  };
}

/** `unknown`: its process runs but did not renew its lease. */
const isSilent = ({ state, alive }: MemberStatus): boolean =>
  state === "starting" || (state !== "ended" && alive === "unknown");
