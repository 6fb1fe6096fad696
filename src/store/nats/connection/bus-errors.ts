import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { TroupeError } from "../../../protocol/index.ts";
import type { Bus } from "./bus.ts";

export const teamGoneError = (cause?: unknown): TroupeError =>
  new TroupeError("storage", "The team is not on the bus any more: it was deleted, or its stream was lost.", { cause });

export const noAnswerError = (bus: Bus, what: string, ms: number): TroupeError =>
  new TroupeError("storage", `The bus at ${bus.where} has not answered for ${Math.round(ms / 1000)} s: ${what}.`);

export const refusedByBusError = (bus: Bus, cause: unknown): TroupeError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TroupeError("storage", `The bus at ${bus.where} refuses it: ${why}.`, { cause });
};

export const apiCode = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;

export const isWrongSequence = (error: unknown): boolean => {
  const code = apiCode(error);
  return code === 10071 || code === 10164;
};

export const isStreamMissing = (error: unknown): boolean => apiCode(error) === 10059;

/** Nobody listens on the subject: the stream is gone, or its server is just coming up. */
export const hasNoResponders = (error: unknown): boolean =>
  (error instanceof Error && error.name === "JetStreamNotEnabled") ||
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());

/** What the same request may not meet a second time. */
export const isTransient = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  error instanceof errors.ConnectionError ||
  hasNoResponders(error) ||
  (error instanceof errors.RequestError && error.cause !== undefined && isTransient(error.cause)) ||
  transientCodes.has(apiCode(error) ?? 0);

/** No system is ready, no leader, a server that is shutting down, a consumer or stream that is being made. */
const transientCodes = new Set([10004, 10008, 10009, 10118, 10123]);
