import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { endTree, markVariable } from "./process-tree.ts";

/** A program by name and arguments: there is no shell in between unless the program is one. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is added but the mark by which the process is found again. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process in a session of its own: it has no terminal, no Ctrl+C reaches it, and its whole tree can be ended. */
export interface RunningProcess {
  /** Undefined when it could not be started; `ended` tells why. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What the child writes to its descriptor 3. */
  readonly side: Readable;
  /** Never rejects. Resolves when the process itself has ended, whoever still holds its pipes. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM to the tree, SIGKILL after the grace (1 s); resolves when nothing of it is left. */
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
    // Some failures are thrown at once (too many arguments, a NUL byte in one), others come as an event.
    return notStarted(Promise.resolve(startFailure(request, error as NodeJS.ErrnoException)));
  }
  const failed = new Promise<ProcessEnd>((resolve) => {
    child.once("error", (error) => resolve(startFailure(request, error)));
  });
  const { pid } = child;
  if (pid === undefined) return notStarted(failed);

  const [stdin, stdout, stderr, side] = child.stdio as unknown as [Writable, Readable, Readable, Readable];
  // A child that does not read its input is not our failure; its exit code tells what it made of it.
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
      ? "there is no such program"
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
