import type { Readable } from "node:stream";
import { type ProcessRequest, type RunningProcess, startProcess } from "./start-process.ts";

export interface RunRequest extends ProcessRequest {
  /** Written to its standard input, which is then closed. Without it, the input is closed at once. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** True for a program that leaves no process behind: after it ends, the scope does not search for them. */
  readonly startsNothing?: boolean;
  /** The program is ended when its output exceeds this limit. */
  readonly outputLimitBytes?: number;
  /** Called with every chunk; nothing is kept here. `side` is the output to descriptor 3. */
  onOutput?(chunk: Buffer, stream: OutputStream): void;
}

type OutputStream = "stdout" | "stderr" | "side";

/** The result of a run. Both codes are null if the program could not be started. */
export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly flooded: boolean;
  /** Bytes of stdout and stderr. */
  readonly outputBytes: number;
  readonly startFailure?: string;
}

/**
 * Runs a program to its end and never rejects. An abort, timeout or output overflow ends its whole tree before this
 * resolves. Resolves when the program has exited and its last output is read; a daemon that holds the pipes does not
 * delay it.
 */
export async function runProcess(request: RunRequest): Promise<RunResult> {
  if (request.signal?.aborted) return notStartedResult;
  return followProcess(startProcess(request, `${process.pid}.${performance.now()}`), request);
}

/** The result of a program that was aborted before it started. */
export const notStartedResult: RunResult = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: true,
  flooded: false,
  outputBytes: 0,
};

export async function followProcess(
  child: RunningProcess,
  request: Omit<RunRequest, keyof ProcessRequest>,
): Promise<RunResult> {
  let outputBytes = 0;
  let stopped: "timedOut" | "aborted" | "flooded" | undefined;
  let ending: Promise<void> | undefined;
  const stop = (why: typeof stopped) => {
    stopped ??= why;
    ending ??= child.end(request.graceMs);
  };
  const readers = (["stdout", "stderr", "side"] as const).map((name) =>
    readOutput(child[name], (chunk) => {
      if (name !== "side") outputBytes += chunk.length;
      request.onOutput?.(chunk, name);
      if (outputBytes > (request.outputLimitBytes ?? Infinity)) stop("flooded");
    }),
  );
  child.stdin.end(request.stdin ?? "");

  const onAbort = () => stop("aborted");
  if (request.signal?.aborted) onAbort();
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const timer = request.timeoutMs === undefined ? undefined : setTimeout(() => stop("timedOut"), request.timeoutMs);

  const end = await child.ended;
  clearTimeout(timer);
  await ending;
  // The program has ended: later aborts do not concern it.
  request.signal?.removeEventListener("abort", onAbort);
  await Promise.all(readers.map((reader) => reader.drained()));
  return {
    ...end,
    timedOut: stopped === "timedOut",
    aborted: stopped === "aborted",
    flooded: stopped === "flooded",
    outputBytes,
  };
}

/**
 * After draining, output of a daemon that holds the pipe is dropped: closing the pipe would end the daemon at its next
 * write. The pipe does not keep this process alive.
 */
function readOutput(stream: Readable, onChunk: (chunk: Buffer) => void): { drained(): Promise<void> } {
  /** Number of consecutive pauses without output. */
  let quiet = 0;
  let ended = false;
  const onData = (chunk: Buffer) => {
    quiet = 0;
    onChunk(chunk);
  };
  const finished = new Promise<false>((resolve) => {
    const finish = () => {
      ended = true;
      resolve(false);
    };
    stream.once("close", finish).once("end", finish).on("error", finish);
  });
  stream.on("data", onData);
  return {
    async drained() {
      // The data in the pipe at exit is read in the next turns of the event loop.
      quiet = 0;
      for (let pauses = 0, open = !ended; open && pauses < maxPauses && quiet < quietPauses; pauses++) {
        quiet += 1;
        open = await Promise.race([finished, pause()]);
      }
      stream.off("data", onData);
      if (ended) return;
      stream.resume();
      if ("unref" in stream && typeof stream.unref === "function") stream.unref();
    },
  };
}

/**
 * Counts pauses instead of time: time also passes for a busy process that reads nothing. The pipes are read between the
 * timer and the end of a pause.
 */
const pause = () => new Promise<true>((resolve) => setTimeout(() => setImmediate(resolve, true), pauseMs));
const pauseMs = 10;
const quietPauses = 4;
const maxPauses = 40;
