import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { TroupeError } from "../protocol/index.ts";

/** What starts this installation's own command line: a program and its first words. */
export function ownProgram(): readonly [string, ...string[]] {
  const launcher = join(dirname(createRequire(import.meta.url).resolve("troupe/package.json")), "dist", "troupe.cjs");
  if (existsSync(launcher)) return [process.execPath, launcher];
  throw new TroupeError("team", `teammates in processes of their own need ${launcher}, which is not there: build it.`);
}
