import { sortArguments } from "./looking/arguments.ts";
import { readOnlyGit, readOnlyGitPairs } from "./looking/read-only-git.ts";
import { type ReadOnly, readOnlyPrograms } from "./looking/read-only-programs.ts";
import { unsafeFindWord } from "./looking/read-only-find.ts";
import { ruleGit, type RuleProgram, rulePrograms, ruleSubcommands } from "./rule-programs.ts";
import type { ShellWord } from "./shell-word.ts";

/**
 * Returns the first of the words that a rule leaves open which is not known to be harmless: it could run another program,
 * write a file, send one, or change where the command works. Undefined for programs that are not known.
 */
export function unsafeOption(
  name: string,
  words: readonly ShellWord[],
  before: readonly ShellWord[],
): string | undefined {
  if (name === "find") return unsafeFindWord(words);
  if (name === "go") return words.find(({ value }) => value.startsWith("-") && !goOption.test(value))?.text;
  if (name === "git") return unsafeGitOption([...before.slice(1), ...words], before.length - 1);
  const subcommands = Object.hasOwn(ruleSubcommands, name) ? ruleSubcommands[name] : undefined;
  if (subcommands) return unknownWord(upToDashes(words), subcommands);
  const program = tableOf(name);
  if (!program) return undefined;
  const given = openWords(name, words, before);
  const operands = sortArguments(given, program);
  if ("why" in operands) return unknownWord(given, program);
  const { values } = operands;
  const value = program.value && values.find((word) => !program.value?.test(word.value));
  if (value) return value.text;
  const operand = program.operand && operands.operands.find((word) => !program.operand?.test(word.value));
  if (operand) return operand.text;
  const extra = program.most === undefined ? undefined : operands.operands[program.most];
  return extra?.text;
}

/** Leaves out `curl -o /dev/null`, and puts a dash before the old form of tar's letters. */
function openWords(name: string, words: readonly ShellWord[], before: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words;
  if (name === "tar" && before.length === 1 && first && !first.value.startsWith("-"))
    return [{ ...first, value: `-${first.value}`, head: `-${first.head}` }, ...rest];
  if (name !== "curl") return words;
  const isNowhere = (at: number) =>
    /^(-o|--output)$/.test(words[at]?.value ?? "") && words[at + 1]?.text === "/dev/null";
  return words.filter((_, at) => !isNowhere(at) && !isNowhere(at - 1));
}

function tableOf(name: string): RuleProgram | undefined {
  if (Object.hasOwn(rulePrograms, name)) return rulePrograms[name];
  const isPackages = name === "pip" || name === "pip3";
  return Object.hasOwn(readOnlyPrograms, name) && !isPackages ? readOnlyPrograms[name] : undefined;
}

/** Go takes one or two dashes. */
const goOption =
  /^--?(v|x|n|a|p|race|count|cover|covermode|coverpkg|short|bench|benchtime|benchmem|timeout|tags|parallel|failfast|json|run|skip|list|shuffle|cpu|mod|m|u|t|e|f|all)(=.*)?$/s;

/** The words after `--` belong to the script or program that is run. */
function upToDashes(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  return end < 0 ? words : words.slice(0, end);
}

/** Returns the first option that the table does not have. */
function unknownWord(words: readonly ShellWord[], program: ReadOnly): string | undefined {
  for (let length = 1; length <= words.length; length++) {
    if ("why" in sortArguments(words.slice(0, length), program)) return words[length - 1]?.text;
  }
  return undefined;
}

function unsafeGitOption(words: readonly ShellWord[], named: number): string | undefined {
  const at = words.findIndex(({ value }) => !value.startsWith("-"));
  const globals = words.slice(0, at < 0 ? undefined : at);
  const global = globals.find(({ value }, index) => index >= named && !/^(--no-pager|-P|--version)$/.test(value));
  if (global) return global.text;
  const [first, second] = [words[at]?.value ?? "", words[at + 1]?.value ?? ""];
  const pair = `${first} ${second}`;
  const isPair = Object.hasOwn(readOnlyGitPairs, pair);
  const program = isPair
    ? readOnlyGitPairs[pair]
    : Object.hasOwn(ruleGit, first)
      ? ruleGit[first]
      : Object.hasOwn(readOnlyGit, first)
        ? readOnlyGit[first]
        : undefined;
  const rest = words.slice(at + (isPair ? 2 : 1));
  // The words that the rule names are allowed by it.
  const open = rest.slice(Math.max(0, named - at - (isPair ? 2 : 1)));
  return program ? unknownWord(open, program) : open.find(({ value }) => mayRunPrograms.test(value))?.text;
}

/** Options of other git commands that run programs or write to other places, also shortened. */
const mayRunPrograms =
  /^(-c.*|-C.*|-x.*|-u.*|-o.*|-O.*|--(ex|upl|rec|out|ext|temp|sep|git-d|work|conf|name|rem|ref|open|to-?c|filter|tree|index|msg|env|parent|commit-f|subdir|setup).*)$/s;
