import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { endTree, markVariable } from "./process-tree.ts";

/** A program with arguments, started without a shell. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; only the mark that identifies the process is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process in a separate session: it has no terminal, Ctrl+C does not reach it, and its whole tree can be ended. */
export interface RunningProcess {
  /** Undefined if it could not be started; `ended` has the reason. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The output to descriptor 3. */
  readonly side: Readable;
  /** Never rejects. Resolves when the process itself has ended, even if others still hold its pipes. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends SIGTERM to the tree, and SIGKILL after the grace period (1 s). Resolves when nothing of it is left. */
  end(graceMs?: number): Promise<void>;
}

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly startFailure?: string;
}

export function startProcess(request: ProcessRequest, mark: string): RunningProcess {
  let child: ChildProcess;
  try {
    child = spawn(request.command, [...request.args], {
      cwd: request.cwd,
      env: { ...request.env, [markVariable]: mark },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      detached: true,
    });
  } catch (error) {
    // Some failures are thrown at once (too many arguments, a NUL byte), others come as an event.
    return notStarted(Promise.resolve(startFailure(request, error as NodeJS.ErrnoException)));
  }
  const failed = new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) => resolve(startFailure(request, error)));
  });
  const { pid } = child;
  if (pid === undefined) return notStarted(failed);

  const [stdin, stdout, stderr, side] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
  // A child may ignore its input; its exit code shows the result.
  stdin.on("error", () => stdin.destroy());
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  let ending: Promise<void> | undefined;
  const end = (graceMs = 1000) => (ending ??= endTree({ leader: pid, mark }, graceMs));
  return { pid, stdin, stdout, stderr, side, ended: exited, end };
}

function startFailure(request: ProcessRequest, error: NodeJS.ErrnoException): ProcessEnd {
  const reason = !existsSync(request.cwd)
    ? `the folder ${request.cwd} does not exist`
    : error.code === "ENOENT"
      ? "the program does not exist"
      : error.code === "E2BIG"
        ? "its arguments are too long for the system"
        : error.message;
  return { exitCode: null, signal: null, startFailure: `${request.command} could not be started: ${reason}` };
}

function notStarted(ended: Promise<ProcessEnd>): RunningProcess {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const [stdout, stderr, side] = [Readable.from([]), Readable.from([]), Readable.from([])] as const;
  return { pid: undefined, stdin: sink, stdout, stderr, side, ended, end: () => Promise.resolve() };
}
