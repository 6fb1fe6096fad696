import { TroupeError } from "../../protocol/index.ts";

/**
 * Returns why a mail was not sent. The receiver may have ended, which is not a failure of the sender. Throws all other
 * errors.
 */
export function sendFailureReason(error: unknown): string {
  if (TroupeError.is(error) && error.code === "mail") return error.message;
  throw error;
}
