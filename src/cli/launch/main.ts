import { TroupeError } from "../../protocol/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { runProgram } from "../program.ts";

/** Runs the command line and sets the exit code. Never rejects. */
export async function main(): Promise<void> {
  // A reader that stops early (`| head`) is not a failure. A run also has its own listener, which ends it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
  try {
    process.exitCode = await runProgram(process.argv.slice(2));
  } catch (error) {
    const expected = TroupeError.is(error);
    const bug = () => `internal error, a bug in Troupe: ${error instanceof Error ? error.stack : String(error)}`;
    process.stderr.write(`troupe: ${expected ? error.message : bug()}\n`);
    process.exitCode = expected ? exitCodes.usage : exitCodes.failed;
  }
}
