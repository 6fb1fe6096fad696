import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Ack, TroupeError } from "../protocol/index.ts";

/** Without bindings where the app is asked directly, without a connection. */
export interface ApiEnv {
  readonly Bindings: Partial<HttpBindings>;
}

export type ApiContext = Context<ApiEnv>;

/** What went wrong and what to do, in the form of an ack. */
export function errorResponse(
  c: ApiContext,
  status: ContentfulStatusCode,
  ...[{ code, message }, headers]: [{ readonly code: string; readonly message: string }, Record<string, string>?]
): Response {
  const ack: Ack = { ok: false, code, message };
  return c.json(ack, status, headers);
}

/** What the caller can mend becomes an answer; everything else is a bug. */
export async function toErrorResponse(c: ApiContext, act: () => Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return errorResponse(c, error.code === "session_not_found" ? 404 : 409, error);
  }
}
