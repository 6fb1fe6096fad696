import { cut, oneLine } from "../../../protocol/index.ts";
import { troupeNotice } from "../notice.ts";

const longestName = 100;

/** Reminds a lead without a user of its background commands, before the run waits for them. */
export const runningCommandsNotice = (commands: readonly { readonly id: string; readonly description: string }[]) =>
  troupeNotice(
    [
      "Your background commands still run:",
      ...commands.map(({ id, description }) => `- ${id}: ${cut(oneLine(description), longestName)}`),
      "Stop a command that is not needed any more with TaskStop. Wait for one with TaskOutput. Or leave it: the run waits for its end up to 10 minutes, then stops it, and you are woken if it ends.",
      "Then give the whole answer again: your next answer is what the user gets.",
    ].join("\n"),
  );
