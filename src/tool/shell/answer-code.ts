import { type ShellCommand, readShellLine } from "./shell-line.ts";

const differs = "the files differ";
const noMatch = "nothing matches";
const isFalse = "the condition is false";

/** Programs that answer a question with exit code 1. Their failures have higher codes. */
const answers: Readonly<Record<string, string>> = {
  diff: differs,
  cmp: differs,
  grep: noMatch,
  egrep: noMatch,
  fgrep: noMatch,
  rg: noMatch,
  test: isFalse,
  "[": isFalse,
};

/** The meaning of exit code 1 of this line, if it is an answer and not a failure: "the files differ". */
export function meaningOfExitCode1(line: string): string | undefined {
  const { commands, enters, syntaxError } = readShellLine(line);
  const last = commands.at(-1);
  const isLast = commands.length === 1 || (enters && commands.length === 2) || !mayStopBefore.test(line);
  if (!last || !isLast || syntaxError !== undefined || /^\s*!/.test(line)) return undefined;
  return answers[nameOf(last)];
}

/** The exit code may be that of an earlier command, or of one around the last one. */
const mayStopBefore = /&&|[(){}!`]|\b(?:set|if|for|while|until|case)\b/;

const nameOf = ({ words }: ShellCommand): string => (words[0]?.value ?? "").replace(/^.*\//, "");
