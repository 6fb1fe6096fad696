import { readFileSync } from "node:fs";

/** The commands of the program and their flags, from the frozen help texts. */
export function knownCommands(): ReadonlyMap<string, ReadonlySet<string>> {
  const help = readFileSync(new URL("../../behaviour/surface/snapshots/help.txt", import.meta.url), "utf8");
  const parts = help.split(/^\$ /m).filter((part) => part !== "");
  return new Map(
    parts.map((part) => {
      const name = part.slice(0, part.indexOf(" --help"));
      const flags = [...part.matchAll(/^ {2}(-.*?)(?: {2,}|$)/gm)].flatMap(
        ([, text = ""]) => text.match(/--?[\w-]+/g) ?? [],
      );
      return [name, new Set(flags)];
    }),
  );
}

/** The calls of `troupe` in a shell block, each as its words. */
export function troupeCalls(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) =>
    splitLine(line)
      .map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word))))
      .filter(([first]) => first === "troupe"),
  );
}

/** Splits a line into commands and words. Quotes hold words together; a comment ends the line. */
function splitLine(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s|;&"'])+|[|;&]+/g)) {
    if (token.startsWith("#")) break;
    if (/^[|;&]+$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token);
  }
  return commands.filter((words) => words.length > 0);
}

/** The flags of one call that its command does not have, or the name of an unknown command. */
export function unknownParts(words: readonly string[], known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  let name = "troupe";
  let at = 1;
  while (known.has(`${name} ${words[at]}`)) name += ` ${words[at++]}`;
  const isGroup = [...known.keys()].some((each) => each.startsWith(`${name} `)) && name !== "troupe";
  if (isGroup && at < words.length && !words[at]?.startsWith("-")) return [`${name} ${words[at]}`];
  const end = words.indexOf("--");
  const flags = words.slice(at, end === -1 ? undefined : end).filter((word) => /^--?[a-zA-Z]/.test(word));
  return flags.filter((flag) => !known.get(name)?.has(flag)).map((flag) => `${name} ${flag}`);
}
