import { type Command as Program, Option } from "commander";
import { TroupeError } from "../../protocol/index.ts";
import { setBusEnv } from "../run/bus-option.ts";
import type { WorkerFlags } from "./worker.ts";

type Subcommand = (parent: Program, name: string, description: string) => Program;

/** `troupe worker`. */
export function addWorkerCommand(program: Program, subcommand: Subcommand, exit: (code: number) => void): void {
  subcommand(program, "worker", "run agents for sessions on other machines that share a bus")
    .option("--bus <url>", "take them from here: nats://host:4222; several with commas", setBusEnv)
    .option("--max-agents <n>", "at most so many at once; 4 if not said", wholeNumber)
    .option("--labels <labels>", "what this machine has, with commas: gpu,linux")
    .option("--name <name>", "what others see; the machine's name if not said")
    .option("--model <model>", "instead of the models that the agents ask for")
    .addOption(
      new Option("--permission-mode <mode>", "the most that any of them may do without asking").choices([
        "default",
        "acceptEdits",
        "dontAsk",
        "bypassPermissions",
      ]),
    )
    .option("--settings <file-or-json>", "settings on top of the files'")
    .option("--folder <folder>", "where their clones are made")
    .action(async (flags: WorkerFlags) => {
      const { runWorkerCommand } = await import("./worker.ts");
      exit(await runWorkerCommand(flags));
    });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new TroupeError("usage", `${JSON.stringify(text)} is not a whole number above 0`);
}
