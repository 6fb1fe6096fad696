import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { isRunning } from "../team/scripted-team.ts";
import { program, type Workplace } from "../cli/workplace.ts";

/** The program in a real terminal of a given size: a pane of a private tmux server. */
export interface Terminal {
  /** Keys by tmux's names: `Enter`, `C-c`, `S-Down`. */
  press(...keys: string[]): void;
  type(text: string): void;
  /** Pastes like a terminal with bracketed paste enabled. */
  paste(text: string): void;
  /** The text of the screen, without spaces at the ends of lines. */
  screen(): string;
  /** All output, including what has scrolled away. */
  scrollback(): string;
  /** Waits until the screen matches, and returns it. */
  see(wanted: string | RegExp): Promise<string>;
  /** Waits until the screen does not contain the text. */
  lose(wanted: string): Promise<string>;
  /** The screen with its colours. */
  colours(): string;
  /** The window title that a program has set. */
  title(): string;
  /** The clipboard content that programs have set. */
  clipboard(): string;
  resize(columns: number, rows: number): void;
  /** Starts recording. The returned function gives the raw output of the program since then. */
  record(): () => string;
  /** True while the alternate screen is shown. */
  isOther(): boolean;
  /** Waits until the program has ended. Returns its exit code, as far as tmux knows it. */
  ended(): Promise<number>;
  readonly pid: number;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell with job control starts the program and gets the terminal when it exits. */
  readonly inShell?: boolean;
}

export function openTerminal(place: Workplace, args: readonly string[], options: TerminalOptions = {}): Terminal {
  const { columns = 80, rows = 30, env = {}, inShell = false } = options;
  const socket = join(place.home, `t${Math.random().toString(36).slice(2, 8)}`);
  const tmux = (...words: string[]): string => {
    const { stdout, stderr, status } = spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        TROUPE_SANDBOX: "off",
        HOME: place.home,
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
      },
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
  // In one call: tmux sometimes misses the exit code of a program in a respawned pane.
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
  // Runs before the removal of its folder, which was created earlier: no process may still write there.
  onTestFinished(async () => {
    const ended = pid();
    tmux("kill-server");
    if (isRunning(ended)) process.kill(ended, "SIGKILL");
    await expect.poll(() => isRunning(ended)).toBe(false);
  });
  if (inShell) tmux("send-keys", "-t", "t", start, "Enter");
  const capture = (...more: string[]) => tmux("capture-pane", "-p", "-t", "t", ...more).replace(/[ \t]+$/gm, "");
  /** The exit code from tmux, or, where tmux missed it, from the system. */
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
