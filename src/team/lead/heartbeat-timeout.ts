import type { Clock } from "../../platform/index.ts";
import { type MemberStatus, teamLead } from "../../protocol/index.ts";
import { watchdogDefaults } from "../watchdog/stall-watchdog.ts";

/**
 * Aborts members in separate processes that never start or stop sending heartbeats. Otherwise the team would wait for
 * them forever.
 */
export interface HeartbeatTimeout {
  /** Judges the statuses. Call it at least every second. Does nothing while an earlier call runs. */
  check(): void;
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
  readonly clock: Pick<Clock, "monotonic">;
  /** How long a member may take to start. */
  readonly startMs?: number | undefined;
  /** How long a started member may be silent after its lease. */
  readonly silentMs?: number | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** After a pause of this process all members seem silent. They have this time to send a heartbeat. */
const graceMs = 2_000;

/** Long for a program that only waits for others, short for callers that wait for it. */
const defaultSilentMs = 20_000;

export function createHeartbeatTimeout(options: HeartbeatTimeoutOptions): HeartbeatTimeout {
  const { clock, startMs = watchdogDefaults.startMs, silentMs = defaultSilentMs } = options;
  const silentSince = new Map<string, { readonly state: string; readonly at: number; isReported: boolean }>();
  let isClosed = false;
  let checking: Promise<void> | undefined;

  const check = async () => {
    for (const status of options.statuses()) {
      if (isClosed) return;
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

  return {
    check() {
      if (isClosed) return;
      checking ??= check()
        .catch((error: unknown) => {
          if (!isClosed) options.onFailure(error);
        })
        .finally(() => {
          checking = undefined;
        });
    },
    async close() {
      isClosed = true;
      await checking;
    },
  };
}

/** `unknown`: its process runs but did not renew its lease. */
const isSilent = ({ state, alive }: MemberStatus): boolean =>
  state === "starting" || (state !== "ended" && alive === "unknown");
