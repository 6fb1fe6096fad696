import { constants } from "node:os";
import { TroupeError } from "../../protocol/index.ts";

/** The system's own error becomes one line that names the file and the way out; it stays as `cause`, with its `code`. */
export function storageError(what: string, path: string, cause: unknown): TroupeError {
  return new TroupeError("storage", `Cannot ${what} ${path}: ${reason(cause)}.`, { cause });
}

/** True for what the file system throws, false for bugs. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): error is NodeJS.ErrnoException {
  const code = errorCodeOf(error);
  return code !== undefined && codes.includes(code);
}

/** Node has no names for some of the system's errors, a used up quota among them: `code` is "UNKNOWN" then, or "Unknown system error -122". */
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
  return cause instanceof Error ? cause.message : String(cause);
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space and try again",
  EDQUOT: "your disk quota is used up; free some space and try again",
  EROFS: "the file system is read-only; set TROUPE_HOME to a folder that can be written",
  EACCES: "permission denied; check who owns it and its mode",
  EPERM: "permission denied; check who owns it and its mode",
  EMFILE: "this process has too many files open; raise the limit with ulimit -n",
  ENFILE: "the system has too many files open",
  EIO: "the disk reports an error; check the disk before you go on",
  EFBIG: "the file would grow over the allowed size (ulimit -f)",
  ELOOP: "it is a symbolic link, which is not followed here",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
};
