import type { Clock } from "../../platform/index.ts";
import { type MemberStatus, teamLead } from "../../protocol/index.ts";
import { watchdogDefaults } from "../watchdog/stall-watchdog.ts";

/** Gives up members in processes of their own that never begin, or that stop giving any sign: nothing else would end the wait for them. */
export interface HeartbeatTimeout {
  start(): void;
  close(): Promise<void>;
}

export interface HeartbeatTimeoutOptions {
  readonly statuses: () => readonly MemberStatus[];
  /** Brings them up to date. */
  readonly refresh: () => Promise<void>;
  /** Whether this lead has its process in hand. */
  readonly isRunHere: (name: string) => boolean;
  /** Its lease is over: somebody else may go on with what it has begun. Once for each silence. */
  readonly onSilent: (name: string) => Promise<void>;
  readonly abort: (name: string, why: string) => Promise<void>;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** How long one may take to begin. */
  readonly startMs?: number | undefined;
  /** How long one that had begun may be silent after its lease is over. */
  readonly silentMs?: number | undefined;
  readonly onFailure: (error: unknown) => void;
}

const checkEveryMs = 1_000;

/** Who was stopped itself finds everybody silent when it goes on: they have so long to be heard again. */
const graceMs = 2_000;

/** Long for a program that has nothing to do but wait for others, short for whoever waits for it. */
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
          ? `it was started and has not begun in ${seconds} s`
          : `its process is there and gives no sign, ${seconds} s after its lease was over`,
      );
    }
  };

  /** Nobody is ended for what was seen of it a while ago. */
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
      closeController.abort(new DOMException("the team is no longer led from here", "AbortError"));
      await watching;
    },
  };
}

/** `unknown`: its process is there, and has not renewed its word. */
const isSilent = ({ state, alive }: MemberStatus): boolean =>
  state === "starting" || (state !== "ended" && alive === "unknown");
