import { type Fault, statusOf } from "../model/scripted/index.ts";
import { type Frame, frameAfterDeltas } from "./frame.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** What goes wrong with one request. Counts are of events or bytes of the body. */
export interface ServerFault {
  /** The number of the request, from 1, or which ones; any when left out. */
  readonly request?: number | ((request: RecordedRequest) => boolean);
  /** How many requests it strikes: 1. */
  readonly times?: number;
  readonly status?: number;
  /** A string goes out as it stands; anything else as JSON. Without it, an error in the provider's form. */
  readonly body?: unknown;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reset?: true;
  readonly beforeHeadersMs?: number;
  readonly beforeBodyMs?: number;
  readonly betweenEventsMs?: number;
  readonly cutAfterEvents?: number;
  readonly cutAfterBytes?: number;
  readonly endAfterEvents?: number;
  readonly stallAfterEvents?: number;
  readonly errorAfterEvents?: number;
  readonly malformed?: Malformation;
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

/** A script's fault as a server would show it. */
export function serverFaultFrom(fault: Fault, frames: readonly Frame[]): ServerFault {
  const { kind, after, message = `the script says so: ${kind}`, retryAfterMs } = fault;
  const events = after === undefined ? 0 : frameAfterDeltas(frames, after);
  if (kind === "connection" && after === undefined) return { reset: true };
  if (kind === "connection" || kind === "cut") return { cutAfterEvents: events };
  if (kind === "stalled" || kind === "hang") return { stallAfterEvents: events };
  if (kind === "malformed") return { malformed: "bad-json" };
  const status = fault.status ?? statusOf[kind];
  if (after !== undefined) return { errorAfterEvents: events, status, message };
  return { status, message, headers: retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) } };
}
