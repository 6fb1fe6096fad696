import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where Troupe's own documentation lies in this installation. */
export function docsFolder(): string | undefined {
  const folder = join(dirname(createRequire(import.meta.url).resolve("troupe/package.json")), "docs");
  return existsSync(folder) ? realpathSync(folder) : undefined;
}
