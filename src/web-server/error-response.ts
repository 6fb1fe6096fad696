import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Ack, TroupeError } from "../protocol/index.ts";

/** Has no bindings if the app is called directly, without a connection. */
export interface ApiEnv {
  readonly Bindings: Partial<HttpBindings>;
}

export type ApiContext = Context<ApiEnv>;

/** Answers with an error and advice, in the form of an ack. */
export function errorResponse(
  c: ApiContext,
  status: ContentfulStatusCode,
  ...[{ code, message }, headers]: [{ readonly code: string; readonly message: string }, Record<string, string>?]
): Response {
  const ack: Ack = { ok: false, code, message };
  return c.json(ack, status, headers);
}

/** Turns errors that the caller can fix into responses. All others are bugs. */
export async function toErrorResponse(c: ApiContext, act: () => Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return errorResponse(c, error.code === "session_not_found" ? 404 : 409, error);
  }
}
