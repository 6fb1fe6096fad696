import type { ModelFailure } from "../../protocol/index.ts";
import type { Fault } from "./script.ts";

/** The statuses that providers give to each kind; kinds without one never get as far as a status. */
export const statusOf = {
  rate_limited: 429,
  overloaded: 529,
  server: 500,
  context_overflow: 400,
  authentication: 401,
  forbidden: 403,
  not_found: 404,
  bad_request: 400,
  connection: undefined,
  stalled: undefined,
  cut: undefined,
  malformed: undefined,
} as const satisfies Record<Exclude<Fault["kind"], "hang">, number | undefined>;

/** What a scripted fault looks like to the caller. `hang` never comes to anything; it rejects when the signal aborts. */
export async function failureOf(fault: Fault, signal: AbortSignal): Promise<ModelFailure> {
  if (fault.kind === "hang") return rejectOnAbort(new Promise<never>(() => undefined), signal);
  const status = fault.status ?? statusOf[fault.kind];
  return {
    kind: fault.kind,
    message: fault.message ?? `the script says so: ${fault.kind}`,
    ...(status !== undefined && { status }),
    ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
  };
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
