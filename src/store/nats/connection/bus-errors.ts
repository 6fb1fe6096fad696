import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import type { Bus } from "./bus.ts";

export const teamGoneError = (cause?: unknown): TroupeError =>
  new TroupeError("storage", "The team is no longer on the bus: it was deleted, or its stream was lost.", { cause });

export const noAnswerError = (bus: Bus, what: string, ms: number): TroupeError =>
  new TroupeError("storage", `The bus at ${bus.where} has not answered for ${Math.round(ms / 1000)} s: ${what}.`);

export const refusedByBusError = (bus: Bus, cause: unknown): TroupeError => {
  const why = messageOf(cause);
  return new TroupeError("storage", `The bus at ${bus.where} refuses the request: ${why}.`, { cause });
};

export const apiCode = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;

export const isWrongSequence = (error: unknown): boolean => {
  const code = apiCode(error);
  return code === 10071 || code === 10164;
};

export const isStreamMissing = (error: unknown): boolean => apiCode(error) === 10059;

/** True if nothing listens on the subject: the stream is gone, or its server is still starting. */
export const hasNoResponders = (error: unknown): boolean =>
  (error instanceof Error && error.name === "JetStreamNotEnabled") ||
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());

/** True for errors that a repeated request may not meet. */
export const isTransient = (error: unknown): boolean =>
  error instanceof errors.TimeoutError ||
  error instanceof errors.ConnectionError ||
  hasNoResponders(error) ||
  (error instanceof errors.RequestError && error.cause !== undefined && isTransient(error.cause)) ||
  transientCodes.has(apiCode(error) ?? 0);

/** Not ready, no leader, a server shutting down, a consumer or stream being created. */
const transientCodes = new Set([10004, 10008, 10009, 10118, 10123]);
