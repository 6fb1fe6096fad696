import { changesShell, isShell } from "./programs.ts";
import { unsafeOption } from "./rule-options.ts";
import type { ShellCommand } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";
import { unsafeTestReason } from "./looking/read-only-test.ts";
import { unsafeAwkReason, unsafeSedReason } from "./text-programs.ts";

type Code = Pick<ShellCommand, "words"> & Partial<Pick<ShellCommand, "assigned">>;

/**
 * Returns why a command could run other commands that its words do not show: a built-in command that evaluates its words,
 * an option that names a program, a variable that bash or programs obey.
 */
export function unknownCodeReason({ words, assigned = [] }: Code): string | undefined {
  const variable = assigned.find((name) => !isPlainVariable(name));
  if (variable !== undefined) return `the variable ${variable} can change what runs`;
  const [first, ...rest] = words;
  const name = first?.value.slice(first.value.lastIndexOf("/") + 1) ?? "";
  if (changesShell(name)) return unsafeBuiltinReason(name, rest);
  if (name === "test" || name === "[") return unsafeTestReason(words);
  if (/^[gmn]?awk$/.test(name)) return unsafeAwkReason(words);
  if (name === "printf") {
    const index = rest.find(({ value }) => /\[.*[$`]/s.test(value));
    return index && `${name} could evaluate ${index.text}`;
  }
  if (name === "sed") return unsafeSedReason(words.filter(({ value }) => !/^(-i.*|--in-place.*)$/.test(value)));
  if (name === "find") return undefined;
  const option = unsafeOption(name, rest, words.slice(0, 1));
  return option === undefined ? undefined : `${option} could make ${name} run another program`;
}

/** Variables that neither bash nor usual programs obey as code. */
const isPlainVariable = (name: string) =>
  /^(CI|NODE_ENV|DEBUG|LANG|LC_[A-Z]+|TZ|FORCE_COLOR|NO_COLOR|RUST_LOG|RUST_BACKTRACE|GOOS|GOARCH|CGO_ENABLED|PORT|HOST|VERBOSE|LOG_LEVEL|TERM|COLUMNS|A|B|FOO|BAR|TEST|[a-z][a-z0-9_]*)$/.test(
    name,
  ) && !name.endsWith("_proxy");

/** Setting plain variables and options is in order. `trap` and `eval` are read as scripts in `possibleCommands`. */
function unsafeBuiltinReason(name: string, words: readonly ShellWord[]): string | undefined {
  if (name === "trap" || name === "eval" || name === "exec" || name === "builtin") return undefined;
  const isPlain = words.every(({ text }) => {
    const [, variable] = /^([A-Za-z_]\w*)(?:=[\w./:@%+,-]*)?$/.exec(text) ?? [];
    return /^(-[a-zA-Z]+|\+[a-zA-Z]+|pipefail|errexit|nounset)$/.test(text)
      ? !/^-.*[xi]/.test(text) || name !== "set"
      : variable !== undefined && isPlainVariable(variable);
  });
  const isSetter = /^(set|export|declare|typeset|local|readonly|unset|read)$/.test(name);
  return isSetter && isPlain ? undefined : `${name} can change what runs`;
}

/**
 * Returns the scripts that shells of a command read from their input, as `bash <<< 'ls'` does. Undefined stands for a
 * script that is unknown.
 */
export function inputScripts({ words, redirects }: ShellCommand): readonly (string | undefined)[] {
  const reads = words.some(({ value }, at) => {
    const name = value.slice(value.lastIndexOf("/") + 1);
    const isSource = at === 0 && (name === "source" || name === ".");
    return (isShell(name) || isSource) && readsInput(words.slice(at + 1), isSource);
  });
  if (!reads) return [];
  const documents = redirects.flatMap(({ document }) => (document ? [document] : []));
  if (documents.length === 0 || redirects.some(({ effect }) => effect === "read")) return [undefined];
  return documents.map(({ text, known }) => (known ? text : undefined));
}

/** True if a shell gets no file and no text to run. */
function readsInput(words: readonly ShellWord[], isSource: boolean): boolean {
  const [first, ...more] = words;
  if (isSource) return first === undefined || /^(\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/.test(first.value);
  if (first === undefined) return true;
  const { value } = first;
  if (value === "-" || /^-[a-zA-Z]*s/.test(value) || /^\/(dev|proc)\//.test(value)) return true;
  if (/^-[a-zA-Z]*c/.test(value)) return false;
  return (
    /^[-+]/.test(value) &&
    readsInput(/^[-+]O$|^[-+]o$|^--(rcfile|init-file)$/.test(value) ? more.slice(1) : more, false)
  );
}
