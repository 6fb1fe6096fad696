import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";

const Manifest = z.object({ bin: z.object({ troupe: z.string() }) });

/** Returns the command that starts this installation's `troupe`. */
export function ownExecutable(): readonly [string, ...string[]] {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("troupe/package.json");
  const launcher = join(dirname(manifest), Manifest.parse(require(manifest)).bin.troupe);
  if (existsSync(launcher)) return [process.execPath, launcher];
  throw new TroupeError(
    "team",
    `cannot start teammates in separate processes: ${launcher} does not exist. Build it first.`,
  );
}
