import { Argument, type Command as Program } from "commander";
import { subcommand } from "../subcommand.ts";
import type { Shell } from "./completion-script.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

/** Adds `help` and `completion`, which describe the other commands. */
export function addHelpCommands(program: Program): void {
  subcommand(program, "help", "show the help of a command, such as 'troupe help sessions show'")
    .argument("[command...]", "command to describe (default: the whole program)")
    .action(async (words: string[]) => {
      const { showHelp } = await import("./show-help.ts");
      showHelp(program, words);
    });
  subcommand(program, "completion", "print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>").choices(shells))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("./completion-script.ts");
      process.stdout.write(completionScript(program, shell));
    });
}
