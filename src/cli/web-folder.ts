import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where the page was built into, beside the program. */
export const webFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("troupe/package.json")), "dist", "web");
