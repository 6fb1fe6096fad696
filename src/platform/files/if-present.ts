import { hasErrorCode, storageError } from "./storage-error.ts";

export interface OptionalRead {
  /** The attempted action, for the error: "read", "inspect". */
  readonly action: string;
  readonly path: string;
  /** The error codes that mean "missing". The default is ENOENT. */
  readonly missing?: readonly string[];
}

/** The result of `read`, or undefined if the path is missing. Every other failure is a storage error. */
export async function ifPresent<T>(read: () => Promise<T>, options: OptionalRead): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    return undefinedIfMissing(error, options);
  }
}

/** Like `ifPresent`, for a synchronous read. */
export function ifPresentSync<T>(read: () => T, options: OptionalRead): T | undefined {
  try {
    return read();
  } catch (error) {
    return undefinedIfMissing(error, options);
  }
}

function undefinedIfMissing(error: unknown, { action, path, missing = ["ENOENT"] }: OptionalRead): undefined {
  if (hasErrorCode(error, ...missing)) return undefined;
  throw storageError(action, path, error);
}

/** The codes if the path, or a folder on the way to it, is missing or is a file. */
export const missingOrFile = ["ENOENT", "ENOTDIR"] as const;
