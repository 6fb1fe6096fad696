import { type Command as Program, Option } from "commander";
import { TroupeError } from "../../protocol/index.ts";
import { type RunCommand, subcommand } from "../subcommand.ts";

export function addWorkerCommand(program: Program, run: RunCommand): void {
  subcommand(program, "worker", "run agents for sessions on other machines that share a bus")
    .option("--bus <url>", "bus to take jobs from: nats://host:4222; separate several with commas")
    .option("--max-agents <n>", "maximum number of agents at once (default: 4)", wholeNumber)
    .option("--labels <labels>", "labels of this machine, separated by commas: gpu,linux")
    .option("--name <name>", "name that others see (default: the host name)")
    .option("--model <model>", "model to use instead of the models that the agents request")
    .addOption(
      new Option("--permission-mode <mode>", "most permissive mode that any of these agents may use").choices([
        "default",
        "acceptEdits",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option("--settings <file-or-json>", "settings that override the settings files")
    .option("--folder <folder>", "folder for the clones of repositories")
    .action(run(async () => (await import("./worker.ts")).runWorkerCommand));
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new TroupeError("usage", `${JSON.stringify(text)} is not a whole number above 0`);
}
