import { parseRule, type Rule } from "../permissions/permission-rules.ts";
import type { AllowedLine } from "./allow-line.ts";
import { isInterpreter, wrappers } from "./programs.ts";
import type { ShellLine } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** Suggests rules for a question: as narrow as is useful, and none for a command that could run anything. */
export function suggestRules(
  text: string,
  line: ShellLine,
  refused: Extract<AllowedLine, { ok: false }>,
): readonly Rule[] {
  if (refused.refused !== undefined && refused.refused.length > 0) {
    const texts = new Set(refused.refused.map((words) => `Bash(${specifierFor(words)})`));
    return texts.size > 4 ? [] : [...texts].map((each) => parseRule(each));
  }
  return isFixed(line) && text.length <= 400 && !text.includes("\n") ? [parseRule(`Bash(${text})`)] : [];
}

/** True if every word is known and nothing runs other commands. The whole line can then be a rule. */
function isFixed({ commands, unsafeReasons: doubts }: ShellLine): boolean {
  return (
    doubts.length === 0 &&
    commands.every(({ words, assigns }) => {
      const [name, second] = words;
      if (
        assigns ||
        (name !== undefined && name.kind !== "literal") ||
        words.some(({ kind }) => kind !== "literal" && kind !== "pattern")
      )
        return false;
      return name === undefined || (!isInterpreter(name.value, second?.value) && !wrappers.has(name.value));
    })
  );
}

const openEnded = new Set(
  (
    "git-add git-commit git-fetch git-stash git-switch git-checkout git-merge git-pull npm-install npm-ci npm-run pnpm-install " +
    "pnpm-run yarn-install yarn-run cargo-build cargo-check cargo-test cargo-clippy cargo-fmt go-build go-test go-vet go-fmt " +
    "npm-test pnpm-test yarn-test dotnet-build dotnet-test mvn-test gradle-test pip-install poetry-install gh-pr gh-issue docker-ps"
  ).split(" "),
);
/** Programs that no option makes run the code of a file. */
const openPrograms = new Set("mkdir touch biome ruff black shellcheck gofmt".split(" "));

function specifierFor(words: readonly ShellWord[]): string {
  const values = words.map(({ value }) => value);
  const [name = "", second = "", third] = values;
  const whole = values.map(quoted).join(" ");
  if (values.length === 1) return whole;
  if (openPrograms.has(name)) return `${name}:*`;
  if (!openEnded.has(`${name}-${second}`)) return whole;
  if (second === "run") return third === undefined || values.length === 3 ? whole : `${name} run ${quoted(third)}:*`;
  return values.length === 2 ? whole : `${name} ${second}:*`;
}

/** Returns the rule that names exactly this command, if its words are known and short. */
export function exactRule(words: readonly ShellWord[]): Rule | undefined {
  if (words.length === 0 || words.some(({ kind }) => kind !== "literal")) return undefined;
  const text = words.map(({ value }) => quoted(value)).join(" ");
  return text.length > 160 || /[\n*]/.test(text) ? undefined : parseRule(`Bash(${text})`);
}

const quoted = (value: string) =>
  /^[\w@%+=:,./-]+$/.test(value) && !value.endsWith(":") ? value : `'${value.replaceAll("'", `'\\''`)}'`;
