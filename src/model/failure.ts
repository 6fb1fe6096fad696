import * as z from "zod";
import { cut, type ModelFailure, oneLine } from "../protocol/index.ts";
import { describeStatus } from "./describe-status.ts";
import { describeTransport, type FailureContext } from "./describe-transport.ts";
import { hostOf } from "./endpoint.ts";
import { readRetryAfter } from "./retry-after.ts";

/**
 * Classifies an error from an SDK, from fetch or from the stream. SDK classes are recognized by their shape, so none is
 * imported.
 */
export function toFailure(error: unknown, context: FailureContext): ModelFailure {
  const failure = classify(error, context);
  return { ...failure, message: tidy(failure.message, context.endpoint.secret) };
}

function classify(error: unknown, context: FailureContext): ModelFailure {
  const api = ApiError.safeParse(error);
  if (api.success && (api.data.status !== undefined || api.data.error !== undefined)) {
    const { status, headers, error: body } = api.data;
    const errorText = readBody(body);
    const retryAfterMs = headers && readRetryAfter(headers, context.now);
    return describeStatus(
      { status, message: errorText.message ?? plain(api.data.message), type: errorText.type, code: errorText.code },
      { endpoint: context.endpoint, retryAfterMs, final: headers?.get("x-should-retry") === "false" },
    );
  }
  if (error instanceof SyntaxError)
    return { kind: "malformed", message: `${hostOf(context.endpoint)} sent an event that is not JSON.` };
  return describeTransport(error, context);
}

const headersLike = z.custom<{ get(name: string): string | null }>(
  (value) => typeof value === "object" && value !== null && "get" in value && typeof value.get === "function",
);

const ApiError = z.object({
  status: z.number().int().optional(),
  headers: headersLike.optional(),
  error: z.unknown().optional(),
  message: z.string().default(""),
});

const errorText = {
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
};
const ErrorBody = z.union([
  z.object({ error: z.object(errorText) }).transform((body) => body.error),
  z.object(errorText),
]);

function readBody(body: unknown): {
  message?: string | undefined;
  type?: string | undefined;
  code?: string | undefined;
} {
  if (typeof body === "string") return { message: body };
  const parsed = ErrorBody.safeParse(body);
  if (!parsed.success) return {};
  const { message, type, code } = parsed.data;
  return { message, type: type ?? undefined, code: code === null || code === undefined ? undefined : String(code) };
}

/** Drops a proxy's HTML error page: it is not a message. */
const plain = (text: string) => (/<\w+[^>]*>/.test(text) ? "" : text);

function tidy(message: string, secret: string | undefined): string {
  const open = secret ? message.replaceAll(secret, "[key]") : message;
  return cut(oneLine(open.replace(/\bsk-[\w*-]{4,}/g, "[key]")), 500);
}
