import { lstatIfThere } from "./lstat-if-there.ts";
import { isInside, realPathSync } from "../files/real-path.ts";
import type { Walls } from "./sandbox.ts";

const systemFolders = ["/proc", "/sys", "/dev", "/run", "/etc", "/usr", "/var/run"];

/** Returns why these walls cannot hold, or undefined. */
export function wallsProblem({ writable, protectedPaths }: Pick<Walls, "writable" | "protectedPaths">) {
  const whole = writable
    .map((path) => realPathSync(path))
    .find((folder) => systemFolders.some((path) => isInside(path, folder)));
  if (whole !== undefined) return `${whole} cannot be a working folder of a sandbox: it contains the system`;
  const link = protectedPaths.find((path) => lstatIfThere(path)?.isSymbolicLink());
  if (link === undefined) return undefined;
  return `cannot protect ${link} in the sandbox: it is a symbolic link and could be replaced`;
}
