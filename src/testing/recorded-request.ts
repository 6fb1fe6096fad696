import type { IncomingHttpHeaders } from "node:http";
import type { AnswerPart } from "../protocol/index.ts";

/** A request as it came in, and what became of it. */
export interface RecordedRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly rawBody: Buffer;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  readonly at: number;
  /** The rule or step that answered, and what it said. */
  readonly answer?: { readonly source: string; readonly parts: readonly AnswerPart[] };
  readonly status?: number;
  /** `left`: the client went away first. */
  readonly end: "open" | "answered" | "refused" | "cut" | "left";
}

export type OpenRequest = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };
