import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findExecutable, realPathSync, runProcess } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { encodeCommands, type TmuxGroup } from "./encode-commands.ts";

/** The tmux of this machine. Commands go through a pipe, so they do not show in the process list. */
export interface Tmux {
  readonly path: string;
  readonly version: string;
  /** The user's tmux, if this program runs in one of its panes. */
  readonly inside?: { readonly socket: string; readonly paneId: string };
  socketPath(name: string): string;
  /** Runs groups of commands on the server of a socket. `server: "start"` starts a server if there is none. */
  run(groups: readonly TmuxGroup[], on: TmuxServer): Promise<TmuxAnswer>;
  /** Runs changes to panes one at a time, because two at once would miscount the panes. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** The socket's path, or its name in tmux's folder if it may not exist yet. */
export type TmuxServer = { readonly socket: string } | { readonly name: string; readonly server: "start" };

export interface TmuxAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  /** The error output of tmux, or why it could not run. */
  readonly problem: string;
  /** No server listens on that socket. */
  readonly noServer: boolean;
}

export interface TmuxOptions {
  /** The user's environment. A new server gets only what a terminal program needs of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Rejects with a `team` error if no usable tmux is found. The caller can continue without it. */
export async function createTmux(options: TmuxOptions): Promise<Tmux> {
  const path = await findExecutable("tmux", options.env["PATH"]);
  if (path === undefined)
    throw new TroupeError("team", "tmux is not installed. Install it, or run teammates in-process.");
  const version = await readVersion(path, options);
  const [major, minor] = numbersOf(version);
  if (major < 3)
    throw new TroupeError(
      "team",
      `tmux ${version} is too old: panes need 3.0. Update tmux, or run teammates in-process.`,
    );
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
      // tmux runs nothing without the final `%endif`. So a text cut off by a kill of this process is never run.
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
  if (!ok) throw new TroupeError("team", `${path} does not run: ${problem}. Fix tmux, or run teammates in-process.`);
  return stdout.trim().replace(/^tmux\s+/, "");
}

/** A version without a number (`master`, `openbsd-7.4`) is built from sources newer than any numbered release. */
function numbersOf(version: string): readonly [number, number] {
  const match = /^(?:next-)?(\d+)\.(\d+)/.exec(version);
  return match ? [Number(match[1]), Number(match[2])] : [Infinity, 0];
}

/** `TMUX` holds the socket, the server's pid and a session, separated by commas. */
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
/** tmux prints the last two when the server ends while it answers. */
const noSession =
  /^(no server running on |error connecting to .*\((No such file or directory|Connection refused)\)$|server exited|lost server)/m;

/** A server keeps the environment it was started with and shows it to every client, so it must not contain keys. */
function serverEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

const needed = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_\w+|TZ|TMPDIR|TMUX_TMPDIR|XDG_RUNTIME_DIR)$/;

/** tmux before 3.1 cannot read commands from stdin. It reads the path as a pattern. */
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
    // The caller gets the failure; the next turn runs anyway.
    last = ownTurn.catch(() => undefined);
    return ownTurn;
  };
}
