#!/usr/bin/env node
import { TroupeError } from "../protocol/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { runProgram } from "./program.ts";

// A reader that has seen enough (`| head`) is no failure. A run has a listener of its own besides, which ends it.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  process.exitCode = await runProgram(process.argv.slice(2));
} catch (error) {
  if (TroupeError.is(error)) process.stderr.write(`troupe: ${error.message}\n`);
  else
    process.stderr.write(`troupe: this is a bug in troupe: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = TroupeError.is(error) ? exitCodes.usage : exitCodes.failed;
}
