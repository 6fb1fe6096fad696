import { createHash } from "node:crypto";
import type { Clock } from "../platform/index.ts";
import { type GateLimits, GateQueue, type TicketResult } from "./gate-queue.ts";

/**
 * Every request of a provider account passes its one gate. When the account asks one agent to wait, all requests wait.
 */
export interface Gate {
  enter(who: { readonly agentPath: string; readonly signal: AbortSignal }): Ticket;
  state(): { readonly width: number; readonly inFlight: number; readonly waiting: number };
}

export interface Ticket {
  /** The reason for waiting, or undefined when the request may go at once. */
  readonly waitingFor: string | undefined;
  /** Resolves to true when the request may go, and to false when it was aborted first. */
  granted(): Promise<boolean>;
  /** Releases the ticket in any state; only the first call counts. The caller of `enter` must call it. */
  release(result: TicketResult, retryAfterMs?: number): void;
}

export type { GateLimits, TicketResult };

export function createGate({ clock, limits = hostedLimits }: { clock: Clock; limits?: GateLimits }): Gate {
  const queue = new GateQueue(limits);
  const wakers = new Map<object, (granted: boolean) => void>();
  let alarm: AbortController | undefined;

  const pump = () => {
    for (const entry of queue.admit(clock.monotonic())) wakers.get(entry)?.(true);
    setAlarm();
  };

  /** Sets one timer for the whole pause, and only while a request waits: an idle gate keeps no process alive. */
  const setAlarm = () => {
    const pause = queue.pausedUntil - clock.monotonic();
    if (queue.waiting === 0 || pause <= 0) {
      alarm?.abort();
      alarm = undefined;
      return;
    }
    if (alarm) return;
    const own = new AbortController();
    alarm = own;
    clock.sleep(pause, own.signal).then(
      () => {
        alarm = undefined;
        pump();
      },
      (error: unknown) => {
        if (!own.signal.aborted) throw error;
      },
    );
  };

  return {
    enter({ agentPath, signal }) {
      const entry = queue.enter(agentPath);
      const { promise, resolve } = deferred();
      const onAbort = () => ticket.release("abandoned");
      const ticket: Ticket & { waitingFor: string | undefined } = {
        waitingFor: undefined,
        granted: () => promise,
        release(result, waitMs) {
          if (!wakers.delete(entry)) return;
          signal.removeEventListener("abort", onAbort);
          resolve(false);
          queue.leave(entry, { result, now: clock.monotonic(), waitMs });
          pump();
        },
      };
      let admitted = false;
      wakers.set(entry, (granted) => {
        admitted = granted;
        // From here on the attempt handles an abort. The ticket stays taken until the attempt has ended.
        signal.removeEventListener("abort", onAbort);
        resolve(granted);
      });
      if (signal.aborted) ticket.release("abandoned");
      else {
        signal.addEventListener("abort", onAbort, { once: true });
        pump();
        if (!admitted) ticket.waitingFor = reason(queue, clock.monotonic());
      }
      return ticket;
    },
    state: () => ({ width: queue.width, inFlight: queue.inFlight, waiting: queue.waiting }),
  };
}

const hostedLimits: GateLimits = { start: 16, max: 64 };
/** A local machine handles few prompts at a time. More would only wait inside it, invisible to us. */
export const localLimits: GateLimits = { start: 4, max: 16 };
export const scriptedLimits: GateLimits = { start: 4096, max: 4096 };

/** Keeps one gate per account, shared by every client of the same registry. Keys are stored as digests only. */
export interface GateRegistry {
  gateFor(account: {
    readonly baseUrl: string;
    readonly secret?: string | undefined;
    readonly limits?: GateLimits;
  }): Gate;
}

export function createGateRegistry(clock: Clock): GateRegistry {
  const gates = new Map<string, Gate>();
  return {
    gateFor({ baseUrl, secret, limits }) {
      const digest = createHash("sha256")
        .update(`${baseUrl}\n${secret ?? ""}`)
        .digest("hex");
      const gate = gates.get(digest) ?? createGate({ clock, ...(limits && { limits }) });
      gates.set(digest, gate);
      return gate;
    },
  };
}

function reason(queue: GateQueue, now: number): string {
  const pause = queue.pausedUntil - now;
  if (pause > 0) return `rate limited: every request of this account waits ${Math.ceil(pause / 1000)} s`;
  return `${queue.inFlight} requests of this account are in flight, ${queue.waiting} are waiting`;
}

function deferred() {
  let settle: ((granted: boolean) => void) | undefined;
  const promise = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (granted: boolean) => settle?.(granted) };
}
