import { lstatSync, realpathSync } from "node:fs";
import { TroupeError } from "../protocol/index.ts";

/** Returns the real path of one of Troupe's folders. Refuses a link in its place: it could redirect writes anywhere. */
export function realFolder(path: string): string {
  if (lstatSync(path).isDirectory()) return realpathSync(path);
  throw new TroupeError("storage", `${path} is not a folder, or it is a link: remove it`);
}
