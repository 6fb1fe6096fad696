import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { isRunning } from "../team/scripted-team.ts";
import { program, type Workplace } from "../cli/workplace.ts";

/** The program in a real terminal of a size: a pane of a tmux server that nobody else speaks to. */
export interface Terminal {
  /** Keys by tmux's names: `Enter`, `C-c`, `S-Down`. */
  press(...keys: string[]): void;
  type(text: string): void;
  /** As a terminal does it where the program has asked to be told that it is a paste. */
  paste(text: string): void;
  /** What is on the screen, without blanks at the ends of lines. */
  screen(): string;
  /** All that was written, what has scrolled away included. */
  scrollback(): string;
  /** Waits until the screen is like that, and gives it back. */
  see(wanted: string | RegExp): Promise<string>;
  /** Waits until it is not. */
  lose(wanted: string): Promise<string>;
  /** The screen with its colours. */
  colours(): string;
  /** What a program has called its window. */
  title(): string;
  /** What programs have put on the clipboard. */
  clipboard(): string;
  resize(columns: number, rows: number): void;
  /** From now on: gives back what the program has written since, as it came. */
  record(): () => string;
  /** Whether it is on the screen that is beside the one with the scrollback. */
  isOther(): boolean;
  /** Waits until the program has ended. Gives back its exit code, as far as tmux has heard of it. */
  ended(): Promise<number>;
  readonly pid: number;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The program is started by a shell that has jobs, and leaves to it. */
  readonly inShell?: boolean;
}

export function openTerminal(place: Workplace, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const { columns = 80, rows = 30, env = {}, inShell = false } = options;
  const socket = join(place.home, `t${Math.random().toString(36).slice(2, 8)}`);
  const tmux = (...words: string[]): string => {
    const { stdout, stderr, status } = spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: place.home, LANG: "C.UTF-8", TERM: "xterm-256color" },
    });
    if (status !== 0) throw new Error(`tmux ${words[0]}: ${stderr}`);
    return stdout;
  };
  const variables = {
    PATH: process.env["PATH"] ?? "",
    HOME: place.home,
    TROUPE_HOME: join(place.home, ".troupe"),
    LANG: "C.UTF-8",
    TERM: "screen-256color",
    ...env,
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const start = ["env", "-i", ...set, process.execPath, program, ...args]
    .map((word, index) => (index === 0 ? word : quoted(word)))
    .join(" ");
  const global = (name: string, value: string) => ["set-option", "-g", name, value, ";"];
  // In one go: a program in a pane that is started anew ends without tmux noticing its exit code now and then.
  tmux(
    "start-server",
    ";",
    ...global("remain-on-exit", "on"),
    ...global("history-limit", "20000"),
    ...global("set-clipboard", "on"),
    "new-session",
    "-d",
    "-s",
    "t",
    "-x",
    `${columns}`,
    "-y",
    `${rows}`,
    "-c",
    place.cwd,
    inShell ? "env PS1='$ ' bash --norc" : start,
  );
  const pid = () => Number(tmux("display-message", "-p", "-t", "t", "#{pane_pid}"));
  // Before its folder is removed, which was made before: nobody may still be writing there.
  onTestFinished(async () => {
    const ended = pid();
    tmux("kill-server");
    if (isRunning(ended)) process.kill(ended, "SIGKILL");
    await expect.poll(() => isRunning(ended)).toBe(false);
  });
  if (inShell) tmux("send-keys", "-t", "t", start, "Enter");
  const capture = (...more: string[]) => tmux("capture-pane", "-p", "-t", "t", ...more).replace(/[ \t]+$/gm, "");
  /** As tmux has heard of it, or, where it has not, as the system keeps it for tmux. */
  const exitCode = (): number | undefined => {
    const asked = "#{pane_dead} #{pane_pid} #{pane_dead_status}#{pane_dead_signal}";
    const [dead, pid, status = ""] = tmux("display-message", "-p", "-t", "t", asked).trim().split(" ");
    if (dead !== "1") return undefined;
    return status === "" ? zombieExitCode(Number(pid)) : Number(status);
  };
  const patience = { interval: 50 };
  return {
    press: (...keys) => void tmux("send-keys", "-t", "t", ...keys),
    type: (text) => void tmux("send-keys", "-t", "t", "-l", text),
    paste(text) {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p", "-t", "t");
    },
    screen: () => capture(),
    scrollback: () => capture("-S", "-"),
    colours: () => capture("-e"),
    title: () => tmux("display-message", "-p", "-t", "t", "#{pane_title}"),
    clipboard: () => tmux("list-buffers"),
    async see(wanted) {
      const polled = expect.poll(() => capture(), patience);
      await (typeof wanted === "string" ? polled.toContain(wanted) : polled.toMatch(wanted));
      return capture();
    },
    async lose(wanted) {
      await expect.poll(() => capture(), patience).not.toContain(wanted);
      return capture();
    },
    resize: (to, high) => void tmux("resize-window", "-t", "t", "-x", `${to}`, "-y", `${high}`),
    record() {
      const file = join(place.home, `written${Math.random().toString(36).slice(2, 8)}`);
      writeFileSync(file, "");
      tmux("pipe-pane", "-O", "-t", "t", `cat >> '${file}'`);
      return () => readFileSync(file, "utf8");
    },
    isOther: () => tmux("display-message", "-p", "-t", "t", "#{alternate_on}").trim() === "1",
    async ended() {
      await expect.poll(exitCode, patience).toBeDefined();
      return exitCode() ?? -1;
    },
    get pid() {
      return pid();
    },
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

function zombieExitCode(pid: number): number | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? Number(fields[49]) >> 8 : undefined;
}
