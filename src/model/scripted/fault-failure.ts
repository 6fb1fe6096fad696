import { rejectOnAbort } from "../../platform/index.ts";
import type { ModelFailure } from "../../protocol/index.ts";
import type { Fault } from "./script.ts";

/** The status that providers send for each kind. A kind without a status fails before there is one. */
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

/**
 * Returns the failure that the caller sees for a scripted fault. `hang` never resolves; it rejects when the signal
 * aborts.
 */
export async function failureOf(fault: Fault, signal: AbortSignal): Promise<ModelFailure> {
  if (fault.kind === "hang") return rejectOnAbort(new Promise<never>(() => undefined), signal);
  const status = fault.status ?? statusOf[fault.kind];
  return {
    kind: fault.kind,
    message: fault.message ?? `the script requested this failure: ${fault.kind}`,
    ...(status !== undefined && { status }),
    ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
  };
}
