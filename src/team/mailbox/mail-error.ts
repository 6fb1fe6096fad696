import { TroupeError } from "../../protocol/index.ts";

/**
 * Who is written to may have ended meanwhile: then nobody waits for it, and that is no failure of who wrote. Gives why it
 * was not sent; throws what is anything else.
 */
export function sendFailureReason(error: unknown): string {
  if (TroupeError.is(error) && error.code === "mail") return error.message;
  throw error;
}
