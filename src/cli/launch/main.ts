import { TroupeError } from "../../protocol/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { runProgram } from "../program.ts";

/** The program: carries out the command line and sets the exit code. Never rejects. */
export async function main(): Promise<void> {
  // A reader that has seen enough (`| head`) is no failure. A run has a listener of its own besides, which ends it.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
  });
  try {
    process.exitCode = await runProgram(process.argv.slice(2));
  } catch (error) {
    const expected = TroupeError.is(error);
    const bug = () => `this is a bug in troupe: ${error instanceof Error ? error.stack : String(error)}`;
    process.stderr.write(`troupe: ${expected ? error.message : bug()}\n`);
    process.exitCode = expected ? exitCodes.usage : exitCodes.failed;
  }
}
