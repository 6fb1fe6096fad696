import type { Readable } from "node:stream";
import { type ProcessRequest, type RunningProcess, startProcess } from "./start-process.ts";

export interface RunRequest extends ProcessRequest {
  /** Written to its input, which is then closed; without it the input is closed at once. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** A program that is known to start no others: when it has ended by itself, a scope does not look for what it left. */
  readonly isSingleProcess?: boolean;
  /** More output than this ends it. */
  readonly outputLimitBytes?: number;
  /** Called with every piece as it comes; nothing is kept here. `side` is what the child writes to its descriptor 3. */
  onOutput?(chunk: Buffer, stream: OutputStream): void;
}

type OutputStream = "stdout" | "stderr" | "side";

/** How it went, as data. Both codes are null when it could not be started. */
export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly flooded: boolean;
  /** Of stdout and stderr. */
  readonly outputBytes: number;
  readonly startFailure?: string;
}

/**
 * Runs a program to its end and never rejects. Abort, timeout and flood end its whole tree before this resolves.
 * It resolves when the program itself has exited and its last output is in: a daemon that holds the pipes does not count.
 */
export async function runProcess(request: RunRequest): Promise<RunResult> {
  if (request.signal?.aborted) return notStartedResult;
  return followProcess(startProcess(request, `${process.pid}.${performance.now()}`), request);
}

/** What comes of a program that was aborted before it was started. */
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
  // From here on an abort concerns somebody else.
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
 * Once drained, whatever still comes from a daemon that kept the pipe is thrown away: closing the pipe would end the
 * daemon at its next word. It does not keep this process alive.
 */
function readOutput(stream: Readable, onChunk: (chunk: Buffer) => void): { drained(): Promise<void> } {
  /** How many pauses in a row nothing has come. */
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
      // What was in the pipe when the process exited is read in the next turns of the event loop.
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
 * Pauses are counted, and time is not looked at: it goes by for a process that is busy or has to wait for a processor, without
 * anything being read. Between the timer and the end of a pause the pipes are looked at.
 */
const pause = () => new Promise<true>((resolve) => setTimeout(() => setImmediate(resolve, true), pauseMs));
const pauseMs = 10;
const quietPauses = 4;
const maxPauses = 40;
