import { createHash } from "node:crypto";

/** One span as it is exported: whole, once it has ended. Times are milliseconds since 1970. */
export interface Span {
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** `client`: somebody else does the work, a model's provider. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** What went wrong, if something did. */
  readonly error?: string | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];

/** The same for the same words, in whichever process: members of a team find the trace of their lead by it. */
export const traceIdOf = (session: string): string => digest(`trace:${session}`).slice(0, 32);
export const spanIdOf = (...words: readonly string[]): string => digest(`span:${words.join(":")}`).slice(0, 16);

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
