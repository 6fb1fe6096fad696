import type { IncomingHttpHeaders } from "node:http";
import type { AnswerPart } from "../protocol/index.ts";

/** A received request and its result. */
export interface RecordedRequest {
  /** Counted from 1 in order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes of the body. */
  readonly rawBody: Buffer;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
  readonly at: number;
  /** The rule or step that answered, and its answer. */
  readonly answer?: { readonly source: string; readonly parts: readonly AnswerPart[] };
  readonly status?: number;
  /** `left`: the client disconnected first. */
  readonly end: "open" | "answered" | "refused" | "cut" | "left";
}

export type OpenRequest = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };
