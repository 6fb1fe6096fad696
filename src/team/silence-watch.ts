import type { Clock } from "../platform/index.ts";
import { type MemberStatus, teamLead } from "../protocol/index.ts";
import { watchdogDefaults } from "./watchdog.ts";

/** Gives up members in processes of their own that never begin, or that stop giving any sign: nothing else would end the wait for them. */
export interface SilenceWatch {
  start(): void;
  close(): Promise<void>;
}

export interface SilenceWatchOptions {
  readonly statuses: () => readonly MemberStatus[];
  /** Brings them up to date. */
  readonly look: () => Promise<void>;
  /** Whether this lead has its process in hand. */
  readonly isOurs: (name: string) => boolean;
  /** Its lease is over: somebody else may go on with what it has begun. Once for each silence. */
  readonly onSilent: (name: string) => Promise<void>;
  readonly giveUp: (name: string, why: string) => Promise<void>;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** How long one may take to begin. */
  readonly startMs?: number | undefined;
  /** How long one that had begun may be silent after its lease is over. */
  readonly silentMs?: number | undefined;
  readonly onFailure: (error: unknown) => void;
}

const everyMs = 1_000;

/** Who was stopped itself finds everybody silent when it goes on: they have so long to be heard again. */
const unsureMs = 2_000;

/** Long for a program that has nothing to do but wait for others, short for whoever waits for it. */
const defaultSilentMs = 20_000;

export function createSilenceWatch(options: SilenceWatchOptions): SilenceWatch {
  const { clock, startMs = watchdogDefaults.startMs, silentMs = defaultSilentMs } = options;
  const silentSince = new Map<string, { readonly state: string; readonly at: number; isTold: boolean }>();
  const over = new AbortController();
  let watching: Promise<void> = Promise.resolve();

  const look = async () => {
    for (const status of options.statuses()) {
      const { name, state } = status;
      if (name === teamLead || !isSilent(status) || !options.isOurs(name)) {
        silentSince.delete(name);
        continue;
      }
      const before = silentSince.get(name);
      const since = before?.state === state ? before : { state, at: clock.monotonic(), isTold: false };
      silentSince.set(name, since);
      const silentForMs = clock.monotonic() - since.at;
      if (state !== "starting" && silentForMs >= unsureMs && !since.isTold) {
        since.isTold = true;
        await options.onSilent(name);
      }
      const limitMs = state === "starting" ? startMs : silentMs;
      if (silentForMs < limitMs || !(await isStill(status))) continue;
      silentSince.delete(name);
      const seconds = Math.round(limitMs / 1000);
      await options.giveUp(
        name,
        state === "starting"
          ? `it was started and has not begun in ${seconds} s`
          : `its process is there and gives no sign, ${seconds} s after its lease was over`,
      );
    }
  };

  /** Nobody is ended for what was seen of it a while ago. */
  const isStill = async ({ name, state }: MemberStatus): Promise<boolean> => {
    await options.look();
    const now = options.statuses().find((status) => status.name === name);
    return now !== undefined && now.state === state && isSilent(now) && options.isOurs(name);
  };

  const watch = async () => {
    while (!over.signal.aborted) {
      await look();
      await clock.sleep(everyMs, over.signal);
    }
  };

  return {
    start() {
      watching = watch().catch((error: unknown) => {
        if (!over.signal.aborted) options.onFailure(error);
      });
    },
    async close() {
      over.abort(new DOMException("the team is no longer led from here", "AbortError"));
      await watching;
    },
  };
}

/** `unknown`: its process is there, and has not renewed its word. */
const isSilent = ({ state, alive }: MemberStatus): boolean =>
  state === "starting" || (state !== "ended" && alive === "unknown");
