import { readdirSync } from "node:fs";
import { readRegularFileSync } from "../files/read-regular-file.ts";

const closeOnExec = 0o2000000;

/**
 * Returns the descriptors above 3 that this process got from the one that started it, and that each child would get as
 * well. Node marks its own. Empty where the system does not list them.
 */
export function inheritedDescriptors(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((descriptor) => {
      const flags = /^flags:\s*(\d+)$/m.exec(readRegularFileSync(`/proc/self/fdinfo/${descriptor}`) ?? "")?.[1];
      return descriptor > 3 && flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
    });
}
