import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findExecutable, realPathSync, runProcess } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { encodeCommands, type TmuxGroup } from "./encode-commands.ts";

/** A tmux of this machine. It is spoken to in its own language through a pipe: nothing of it is seen in a list of processes. */
export interface Tmux {
  readonly path: string;
  readonly version: string;
  /** The user's own tmux, when this program runs in a pane of it. */
  readonly inside?: { readonly socket: string; readonly paneId: string };
  /** Where the socket of that name is. */
  socketPath(name: string): string;
  /** Runs groups of commands on the server of a socket. `server: "start"` starts one where there is none. */
  run(groups: readonly TmuxGroup[], on: TmuxServer): Promise<TmuxAnswer>;
  /** What changes panes is done one after the other: two at once would each count without the other. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** By its path, or, where it may not be there yet, by its name in tmux's own folder. */
export type TmuxServer = { readonly socket: string } | { readonly name: string; readonly server: "start" };

export interface TmuxAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  /** What it complained of, or why it could not be asked. */
  readonly problem: string;
  /** Nobody listens on that socket. */
  readonly noServer: boolean;
}

export interface TmuxOptions {
  /** The user's environment. A server that is started gets only what a terminal program needs of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Rejects with a `team` error where there is no tmux that can be used: the caller can then do without. */
export async function createTmux(options: TmuxOptions): Promise<Tmux> {
  const path = await findExecutable("tmux", options.env["PATH"]);
  if (path === undefined)
    throw new TroupeError("team", "tmux is not installed: install it, or run teammates in-process");
  const version = await readVersion(path, options);
  const [major, minor] = numbersOf(version);
  if (major < 3)
    throw new TroupeError("team", `tmux ${version} is too old: panes need 3.0; update it, or run teammates in-process`);
  const readsInput = major > 3 || minor >= 1;
  const inside = insideOf(options.env);
  const folder = join(realPathSync(options.env["TMUX_TMPDIR"] ?? "/tmp"), `tmux-${process.getuid?.() ?? 0}`);
  const runExclusive = createTurnQueue();

  return {
    path,
    version,
    ...(inside && { inside }),
    runExclusive,
    socketPath: (name) => join(folder, name),
    async run(groups, on) {
      // Without its last line tmux takes none of it: half of a text, when this process is killed, is never carried out.
      const text = `%if "1"\n${encodeCommands(groups)}%endif\n`;
      const args =
        "name" in on ? ["-u", "-f", "/dev/null", "-L", on.name, "start-server", ";"] : ["-u", "-S", on.socket];
      if (readsInput) return ask(path, [...args, "source-file", "-"], { ...options, stdin: text });
      return throughFile(text, (file) => ask(path, [...args, "source-file", file], options));
    },
  };
}

async function readVersion(path: string, options: TmuxOptions): Promise<string> {
  const { ok, stdout, problem } = await ask(path, ["-V"], options);
  if (!ok) throw new TroupeError("team", `${path} does not run: ${problem}; mend it, or run teammates in-process`);
  return stdout.trim().replace(/^tmux\s+/, "");
}

/** A version without a number (`master`, `openbsd-7.4`) is one built from newer sources than any that has one. */
function numbersOf(version: string): readonly [number, number] {
  const match = /^(?:next-)?(\d+)\.(\d+)/.exec(version);
  return match ? [Number(match[1]), Number(match[2])] : [Infinity, 0];
}

/** `TMUX` is the socket, the server's pid and a session, with commas between. */
function insideOf(env: Readonly<Record<string, string>>): Tmux["inside"] {
  const socket = /^(.+),\d+,\d+$/.exec(env["TMUX"] ?? "")?.[1];
  const paneId = /^%\d+$/.exec(env["TMUX_PANE"] ?? "")?.[0];
  return socket !== undefined && paneId !== undefined ? { socket, paneId } : undefined;
}

async function ask(
  path: string,
  args: readonly string[],
  options: TmuxOptions & { stdin?: string },
): Promise<TmuxAnswer> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const result = await runProcess({
    command: path,
    args,
    cwd: options.cwd,
    env: serverEnvironment(options.env),
    ...(options.stdin !== undefined && { stdin: options.stdin }),
    timeoutMs: answerWithinMs,
    onOutput(chunk, stream) {
      if (stream !== "side") output[stream].push(chunk);
    },
  });
  const stderr = Buffer.concat(output.stderr).toString("utf8").trim();
  const problem = result.timedOut ? `no answer within ${answerWithinMs / 1000} s` : (result.startFailure ?? stderr);
  return {
    ok: result.exitCode === 0,
    stdout: Buffer.concat(output.stdout).toString("utf8"),
    problem: problem.replaceAll(/\s*\n\s*/g, "; ") || `exit code ${result.exitCode ?? String(result.signal)}`,
    noServer: noSession.test(stderr),
  };
}

const answerWithinMs = 15_000;
/** The last two are said when it ends in the middle of a question. */
const noSession =
  /^(no server running on |error connecting to .*\((No such file or directory|Connection refused)\)$|server exited|lost server)/m;

/** A server keeps the environment that it was started with, and shows it to whoever asks: no key belongs into it. */
function serverEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

const needed = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_\w+|TZ|TMPDIR|TMUX_TMPDIR|XDG_RUNTIME_DIR)$/;

/** Before 3.1 tmux read no commands from its input. The path is a pattern to it. */
async function throughFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-tmux-"));
  try {
    const file = join(folder, "commands");
    await writeFile(file, text, { mode: 0o600 });
    return await use(file.replace(/[\\*?[\]{}]/g, "\\$&"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createTurnQueue(): Tmux["runExclusive"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const ownTurn = last.then(work);
    // Whoever asked hears of the failure; the next one's turn comes all the same.
    last = ownTurn.catch(() => undefined);
    return ownTurn;
  };
}
