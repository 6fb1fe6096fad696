import { baseName, type PossibleCommand } from "../shell/possible-commands.ts";
import { readOnlyPrograms } from "../shell/looking/read-only-programs.ts";
import { pathsOf } from "../shell/shell-context.ts";
import { literalWord } from "../shell/shell-word.ts";
import { entriesBelow } from "../shell/looking/tree-problem.ts";
import type { ReadContext } from "../shell/looking/unsafe-path.ts";
import { unwrapCommand } from "../shell/unwrap-command.ts";

const copying = new Set("cp mv ln tar zip curl scp rsync dd tee awk sed install base64 find".split(" "));
const printing = new Set("echo printf basename dirname seq sleep date tr true false ps test [".split(" "));

/**
 * Returns why a program that shows or copies files could touch one that a rule denies: its words are unknown, come from
 * another command, or name a folder with such a file in it.
 */
export function unknownRead({ words, redirects }: PossibleCommand, context: ReadContext): string | undefined {
  const { place, folders } = context;
  const isDenied = place.isDenied ?? (() => false);
  const input = redirects.find(({ effect, target }) => effect === "read" && target && isUnknown(target));
  if (input) return `what ${input.target?.text} stands for is unknown, and a rule denies reading some files`;
  const name = baseName(words[0]?.value) ?? "";
  const unwrapped = unwrapCommand(words);
  const inner =
    unwrapped !== undefined && unwrapped !== "unclear" && unwrapped.appends ? unwrapped.inner[0]?.value : undefined;
  if (inner !== undefined && reads(baseName(inner) ?? ""))
    return `${inner} gets the names of files from another command, and a rule denies reading some files`;
  if (!reads(name)) return undefined;
  const unknown = words.slice(1).find(isUnknown);
  if (unknown) return `what ${unknown.text} stands for is unknown, and a rule denies reading some files`;
  if (folders === undefined) return "the folder it would run in is unknown, and a rule denies reading some files";
  if (
    !searches(
      name,
      words.map(({ value }) => value),
    )
  )
    return undefined;
  const roots = [literalWord("."), ...words.slice(1)].flatMap((word) => pathsOf(word, folders, place) ?? []);
  for (const path of roots.filter((each) => place.disk.kindOf(each) === "folder")) {
    const below = entriesBelow(path, place.disk, false);
    if (below === undefined) return `${path} holds too many files to check, and a rule denies reading some files`;
    const hit = below.find((entry) => isDenied(entry.path));
    if (hit) return `a rule denies reading ${hit.path}`;
  }
  return undefined;
}

const reads = (name: string) => (Object.hasOwn(readOnlyPrograms, name) || copying.has(name)) && !printing.has(name);

const isUnknown = ({ kind, choices, text }: { kind: string; choices?: unknown; text: string }) =>
  (kind === "dynamic" || kind === "single") && choices === undefined && !text.startsWith("<(");

/** True if a program reads whole folders. */
function searches(name: string, values: readonly string[]): boolean {
  if (/^(rg|tar|zip|rsync)$/.test(name)) return true;
  if (name === "find") return values.some((value) => value.startsWith("-exec"));
  return (
    /^([ef]?grep|cp|diff|scp)$/.test(name) &&
    values.some((value) => /^-[a-zA-Z]*[rRa]|^--(recursive|deref|archive)/.test(value))
  );
}
