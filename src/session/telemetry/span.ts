import { createHash } from "node:crypto";

/** An ended span. Times are milliseconds since 1970. */
export interface Span {
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** `client` marks work of an external service, such as a model provider. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** The error message, if the work failed. */
  readonly error?: string | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];

/** Returns the same id for the same session in every process, so that teammates join the trace of their lead. */
export const traceIdOf = (session: string): string => digest(`trace:${session}`).slice(0, 32);
export const spanIdOf = (...words: readonly string[]): string => digest(`span:${words.join(":")}`).slice(0, 16);

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
