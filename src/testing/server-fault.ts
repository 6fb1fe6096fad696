import { type Fault, statusOf } from "../model/scripted/index.ts";
import { type Frame, frameAfterDeltas } from "./frame.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** A fault after the answer has begun. */
export interface StreamFault {
  readonly cutAfterEvents?: number;
  readonly cutAfterBytes?: number;
  readonly endAfterEvents?: number;
  readonly stallAfterEvents?: number;
  readonly errorAfterEvents?: number;
  readonly malformed?: Malformation;
}

/** A fault for one or more requests. Counts are events or bytes of the body. */
export interface ServerFault extends StreamFault {
  /** The number of the request, from 1, or a predicate. Default: any request. */
  readonly request?: number | ((request: RecordedRequest) => boolean);
  /** The number of requests that it affects. Default: 1. */
  readonly times?: number;
  readonly status?: number;
  /** A string is sent unchanged, anything else as JSON. Default: an error in the provider's format. */
  readonly body?: unknown;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reset?: true;
  readonly beforeHeadersMs?: number;
  readonly beforeBodyMs?: number;
  readonly betweenEventsMs?: number;
}

export type Malformation =
  | "bad-json"
  | "crlf"
  | "comments"
  | "unknown-event"
  | "long-line"
  | "split-utf8"
  | "byte-by-byte"
  | "duplicate-index"
  | "missing-stop";

/** Converts a script's fault to its effect on the server. */
export function serverFaultFrom(fault: Fault, frames: readonly Frame[]): ServerFault {
  const { kind, after, message = `the script requested this failure: ${kind}`, retryAfterMs } = fault;
  const events = after === undefined ? 0 : frameAfterDeltas(frames, after);
  if (kind === "connection" && after === undefined) return { reset: true };
  if (kind === "connection" || kind === "cut") return { cutAfterEvents: events };
  if (kind === "stalled" || kind === "hang") return { stallAfterEvents: events };
  if (kind === "malformed") return { malformed: "bad-json" };
  const status = fault.status ?? statusOf[kind];
  if (after !== undefined) return { errorAfterEvents: events, status, message };
  return { status, message, headers: retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) } };
}
