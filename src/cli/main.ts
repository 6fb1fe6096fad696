#!/usr/bin/env node
import { TroupeError } from "../protocol/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { runProgram } from "./program.ts";

try {
  process.exitCode = await runProgram(process.argv.slice(2));
} catch (error) {
  if (TroupeError.is(error)) process.stderr.write(`troupe: ${error.message}\n`);
  else
    process.stderr.write(`troupe: this is a bug in troupe: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = TroupeError.is(error) ? exitCodes.usage : exitCodes.failed;
}
