import type { Command as Program } from "commander";
import { nearestName } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { foreignCommands, foreignWithArgument } from "./foreign-commands.ts";

/**
 * Throws if the words look like a command that Troupe does not have: a single word, or a command of other programs with
 * its argument. Such words never reach a model by accident.
 */
export function refuseCommandWords(words: readonly string[], { commands }: Program): void {
  const [word, argument, ...more] = words;
  if (word === undefined || more.length > 0 || !isCommandWord(word)) return;
  const isSingle = argument === undefined;
  if (!isSingle && !(isCommandWord(argument) && foreignWithArgument.has(word))) return;
  const advice = foreignCommands[word.toLowerCase()] ?? suggestionFor(word, commands);
  throw new TroupeError(
    "usage",
    `there is no command '${word}'. ${advice} To use it as a prompt: troupe -p '${words.join(" ")}'.`,
  );
}

const isCommandWord = (word: string) => /^[\p{L}\d][\p{L}\d._:-]*$/u.test(word);

function suggestionFor(word: string, commands: Program["commands"]): string {
  const names = [...commands.map((command) => command.name()), ...Object.keys(foreignCommands)];
  const nearest = word.length < 4 ? undefined : nearestName(word, names);
  if (nearest === undefined || nearest[0] !== word[0]?.toLowerCase()) return "'troupe help' lists the commands.";
  return foreignCommands[nearest] ?? `Did you mean 'troupe ${nearest}'?`;
}
