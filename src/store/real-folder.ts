import { lstatSync, realpathSync } from "node:fs";
import { TroupeError } from "../protocol/index.ts";

/** The real path of a folder of ours. A link in its place could lead whoever may write there anywhere: that is refused. */
export function realFolder(path: string): string {
  if (lstatSync(path).isDirectory()) return realpathSync(path);
  throw new TroupeError("storage", `${path} is not a folder, or is a link: remove it`);
}
