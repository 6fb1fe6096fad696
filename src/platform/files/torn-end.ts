import { ftruncateSync } from "node:fs";
import { TroupeError } from "../../protocol/index.ts";
import { storageError } from "./storage-error.ts";

/** Truncates the remains of failed appends. */
export function createTornEnd(path: string) {
  /** Offset of a failed append that must still be truncated. */
  let tornAt: number | undefined;
  const cutOff = (fd: number, size: number) => {
    try {
      ftruncateSync(fd, size);
      tornAt = undefined;
    } catch (error) {
      tornAt = size;
      throw storageError("truncate the torn end of", path, error);
    }
  };
  return {
    /** Used while another error is being reported. The next append tries again and reports the error. */
    tryToCutOff(fd: number, size: number) {
      try {
        cutOff(fd, size);
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
      }
    },
    /** Truncates what could not be truncated before. */
    cutOffRest(fd: number) {
      if (tornAt !== undefined) cutOff(fd, tornAt);
    },
  };
}
