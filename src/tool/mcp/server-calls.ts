import type { Client } from "@modelcontextprotocol/client";
import type { Clock } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import type { Connection } from "./connect.ts";
import { createDeadline, type Deadline } from "./deadline.ts";

export interface ServerRequest<T> {
  readonly signal: AbortSignal;
  /** `run` calls `life` whenever the server shows progress on this request. */
  readonly run: (client: Client, options: { signal: AbortSignal; timeout: number; life: () => void }) => Promise<T>;
}

export interface ServerCallsOptions {
  readonly name: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Returns the connection to use, and waits for it if necessary. */
  readonly usable: (signal: AbortSignal) => Promise<Connection>;
}

/** The pending calls to one server, each with its deadline. */
export interface ServerCalls {
  readonly pending: number;
  ask<T>(request: ServerRequest<T>): Promise<T>;
  /** Runs a question of the server to the user. It pauses the deadlines of all calls, and ends with the last call. */
  during<T>(signal: AbortSignal, question: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Longer than our own deadlines. */
const never = 2_000_000_000;

export function createServerCalls({ name, timeoutMs, clock, usable }: ServerCallsOptions): ServerCalls {
  const deadlines = new Set<Deadline>();
  let calling = new AbortController();
  const timedOut = () =>
    new Error(
      `the server ${name} did not answer within ${timeoutMs} ms: try a smaller request, or continue without it`,
    );

  const over = (deadline: Deadline) => {
    deadline.clear();
    if (!deadlines.delete(deadline) || deadlines.size > 0) return;
    calling.abort(new Error("the call that asked has ended"));
    calling = new AbortController();
  };

  return {
    get pending() {
      return deadlines.size;
    },
    async ask({ signal, run }) {
      const deadline = createDeadline(timeoutMs, timedOut);
      const both = AbortSignal.any([signal, deadline.signal]);
      let used: Connection | undefined;
      try {
        used = await usable(both);
        deadlines.add(deadline);
        return await run(used.client, { signal: both, timeout: never, life: deadline.touch });
      } catch (cause) {
        if (deadline.signal.aborted && !signal.aborted) throw deadline.signal.reason;
        if (signal.aborted || !used) throw cause;
        throw await explained(cause, { used, name, clock });
      } finally {
        over(deadline);
      }
    },
    async during(signal, question) {
      const resume = [...deadlines].map((deadline) => deadline.pause());
      try {
        return await question(deadlines.size === 0 ? signal : AbortSignal.any([signal, calling.signal]));
      } finally {
        for (const go of resume) go();
      }
    },
  };
}

/** Replaces a generic request error by the reason why the server was lost, and drops a dead connection. */
async function explained(
  cause: unknown,
  { used, name, clock }: { used: Connection; name: string; clock: Clock },
): Promise<unknown> {
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import("@modelcontextprotocol/client");
  if (ProtocolError.isInstance(cause)) return cause;
  if (SdkError.isInstance(cause) && cause.code === SdkErrorCode.InvalidResult) return cause;
  // The server has answered, if only with a refusal. 404 means that it no longer knows this session.
  if (SdkHttpError.isInstance(cause) && cause.status !== 404) return cause;
  if (used.perRequest) await used.drop(reasonOf(cause));
  const enough = new AbortController();
  const waited = clock.sleep(lossShowsMs, enough.signal).catch(() => undefined); // the loss came first
  const why = await Promise.race([used.lost, waited]);
  enough.abort();
  return typeof why === "string" ? new Error(`the server ${name} was lost during the call: ${why}`) : cause;
}

/** The end of a process can become known this much later than its broken request. */
const lossShowsMs = 1_000;

export const reasonOf = (cause: unknown): string => messageOf(cause).replace(/^Version negotiation probe failed: /, "");
