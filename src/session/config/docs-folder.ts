import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";

/** Where Troupe's own documentation lies in this installation; undefined where it is not installed as a package, but part of another program. */
export function docsFolder(): string | undefined {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve("troupe/package.json")), "docs");
    return existsSync(folder) ? realpathSync(folder) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "MODULE_NOT_FOUND")) return undefined;
    throw error;
  }
}
