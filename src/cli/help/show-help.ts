import type { Command as Program } from "commander";
import { nearestName } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { foreignCommands } from "./foreign-commands.ts";

/** Prints the help of the command that the words name; of the whole program without words. */
export function showHelp(program: Program, words: readonly string[]): void {
  let command = program;
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) throw unknownCommand(command, words.slice(0, at + 1));
    command = next;
  }
  command.outputHelp();
}

function unknownCommand({ commands }: Program, words: readonly string[]): TroupeError {
  const word = words.at(-1) ?? "";
  const names = commands.map((command) => command.name());
  const nearest = nearestName(word, names);
  const parent = ["troupe", ...words.slice(0, -1)].join(" ");
  const advice = words.length === 1 ? foreignCommands[word] : undefined;
  const list = names.length > 0 ? `Run '${parent} --help' to see its commands.` : `'${parent}' has no commands.`;
  const hint = advice ?? (nearest === undefined ? list : `Did you mean '${parent} ${nearest}'?`);
  return new TroupeError("usage", `there is no command '${["troupe", ...words].join(" ")}'. ${hint}`);
}
