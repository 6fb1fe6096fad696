import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";

/**
 * Returns the folder of Troupe's documentation. Undefined if Troupe is bundled into another program instead of
 * installed as a package.
 */
export function docsFolder(): string | undefined {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve("troupe/package.json")), "docs");
    return existsSync(folder) ? realpathSync(folder) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "MODULE_NOT_FOUND")) return undefined;
    throw error;
  }
}
