import { readShellLine, type ShellCommand } from "./shell-line.ts";

const vi = "Use your file tools, or sed. It runs only as vim -es, or with -c commands that end with -c wq.";
const editor = "Use your file tools, or sed.";
const monitor = "Use ps aux, or top -b -n 1.";

/**
 * Full-screen programs, with what works instead. Without a terminal they wait for keys that never come. Pagers such as
 * less and man are not among them: into a pipe they print everything and end.
 */
const fullScreen = new Map([
  ...["vi", "vim", "nvim", "view"].map((name) => [name, vi] as const),
  ...["nano", "pico", "emacs", "micro", "joe"].map((name) => [name, editor] as const),
  ...["htop", "btop"].map((name) => [name, monitor] as const),
  ["watch", "It never ends. Run its command once, without watch."],
]);

/** Commands that do nothing but wait, look and print. */
const idle = new Set("sleep echo printf true : test [ [[ grep rg cat ls stat date tail head wc jobs wait".split(" "));

/** A shorter pause may be part of a test. */
const longestSleepS = 5;

/** Returns why a command line cannot lead to anything here, as a text for the model. */
export function uselessLineReason(line: string, { isBackground }: { readonly isBackground: boolean }) {
  const { commands } = readShellLine(line);
  const screen = commands.find((command) => fullScreen.has(systemProgram(command)) && !isBatch(command));
  if (screen)
    return `Not run: ${nameOf(screen)} is a full-screen program, and there is no terminal and no user here. ${fullScreen.get(nameOf(screen))}`;
  if (isBackground || !isOnlyWaiting(line, commands)) return undefined;
  return "Not run: this line only waits, and nothing reaches you while it runs. If you wait for mail, an agent or a background job: end your turn with your answer, and you are woken. If a program needs time to start, start it with run_in_background and try it with a command that retries. If the command itself was asked for, run it with run_in_background.";
}

/** True for a line that starts a command with `&` and does not wait for it. */
export const startsJobs = (line: string): boolean =>
  startsJob.test(line.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, "_").replace(/\d*[<>]&/g, ">")) &&
  !readShellLine(line).commands.some((command) => nameOf(command) === "wait");

function isOnlyWaiting(line: string, commands: readonly ShellCommand[]): boolean {
  const pauses = commands.filter((command) => nameOf(command) === "sleep").map(secondsOf);
  const isLoop = /\b(while|until|for)\b/.test(line);
  const isLong = pauses.some((seconds) => seconds > longestSleepS || (isLoop && seconds >= 1));
  return isLong && !startsJob.test(line) && commands.every(isIdle);
}

/** A single `&`: something runs beside the pause. */
const startsJob = /(^|[^&<>|])&($|[^&>])/;

const isIdle = (command: ShellCommand): boolean =>
  idle.has(nameOf(command)) && command.redirects.every(({ effect }) => effect !== "write");

const nameOf = ({ words }: ShellCommand): string => (words[0]?.value ?? "").replace(/^.*\//, "");

/** Empty for a program of the project, such as `bin/view`. */
const systemProgram = (command: ShellCommand): string =>
  /^(?:\/.*\/s?bin\/)?[^/]+$/.test(command.words[0]?.value ?? "") ? nameOf(command) : "";

const isBatch = ({ words }: ShellCommand): boolean =>
  words.some(
    ({ value }, at) =>
      /^(-es|-Es|--headless|-batch|--batch|--script|--version|--help|-h)$/.test(value) ||
      quits.test(value.startsWith("+") || words[at - 1]?.value === "-c" ? value : ""),
  );

/** A command of vi that ends it, as in `-c wq`, `+q!` and `-c '%s/a/b/ | x'`. */
const quits = /(?:^|[+:|\s])(?:wq|q|x|wqa|qa|xa|cq)!?$/;

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function secondsOf({ words }: ShellCommand): number {
  return words.slice(1).reduce((sum, { value }) => {
    const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(value) ?? [];
    return number === undefined ? sum : sum + Number(number) * (units[unit || "s"] ?? 1);
  }, 0);
}
