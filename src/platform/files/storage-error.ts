import { constants } from "node:os";
import { messageOf, TroupeError } from "../../protocol/index.ts";

/**
 * Converts a system error to one line that names the file and a remedy. The original error with its `code` is the
 * `cause`.
 */
export function storageError(what: string, path: string, cause: unknown): TroupeError {
  return new TroupeError("storage", `Cannot ${what} ${path}: ${reason(cause)}.`, { cause });
}

/** True for errors of the file system, false for bugs. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  const code = errorCodeOf(error);
  return code !== undefined && codes.includes(code);
}

/**
 * Node has no names for some system errors, such as an exceeded quota: `code` is then "UNKNOWN" or "Unknown system
 * error -122".
 */
function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  if (!/^unknown/i.test(code) || !("errno" in error)) return code;
  const named = Object.entries(constants.errno).find(([, number]) => -number === error.errno);
  return named?.[0] ?? code;
}

function reason(cause: unknown): string {
  const code = errorCodeOf(cause);
  const message = code === undefined ? undefined : remedies[code];
  if (message !== undefined) return `${message} (${code})`;
  return messageOf(cause);
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "your disk quota is used up; free some space and try again",
  EROFS: "the file system is read-only; set TROUPE_HOME to a writable folder",
  EACCES: "permission denied; check its owner and mode",
  EPERM: "permission denied; check its owner and mode",
  EMFILE: "this process has too many files open; raise the limit with ulimit -n",
  ENFILE: "the system has too many files open",
  EIO: "the disk reports an error; check the disk before you continue",
  EFBIG: "the file would exceed the allowed size (ulimit -f)",
  ELOOP: "it is a symbolic link, which is not followed here",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
};
