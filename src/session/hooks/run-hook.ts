import { basename } from "node:path";
import type { Clock, ProcessScope } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import type { Hook } from "./load-hooks.ts";

/** The outcome of running a hook. Output is cut at `keptBytes`. */
export interface HookRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** Set if the hook did not start or did not exit by itself: the reason. */
  readonly fault?: string | undefined;
  /** True if some of its stdout is missing. */
  readonly cut: boolean;
  readonly aborted: boolean;
}

export interface HookProcess {
  readonly processes: ProcessScope;
  readonly shell: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly projectFolder: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const keptBytes = 256 * 1024;
const floodBytes = 64 * 1024 * 1024;

/**
 * Runs a hook's command with the input on stdin. Never rejects. A timeout kills all processes that the command started.
 */
export async function runHook(hook: Hook, how: HookProcess): Promise<HookRun> {
  const started = how.clock.monotonic();
  if (hook.fault !== undefined) return { ...notRun, fault: hook.fault };
  if (hook.call) return callHook(hook, { ...how, call: hook.call });
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const size = { stdout: 0, stderr: 0 };
  const result = await how.processes.run({
    command: how.shell,
    // Stdin is a socket. Without --norc, bash would assume a remote login and read the user's rc file.
    args: basename(how.shell) === "bash" ? ["--norc", "-c", hook.command] : ["-c", hook.command],
    cwd: how.cwd,
    env: { ...how.env, CLAUDE_PROJECT_DIR: how.projectFolder, TROUPE_PROJECT_DIR: how.projectFolder },
    stdin: `${JSON.stringify(how.input)}\n`,
    signal: how.signal,
    timeoutMs: hook.timeoutMs,
    outputLimitBytes: floodBytes,
    onOutput(chunk, stream) {
      if (stream === "side") return;
      const room = keptBytes - size[stream];
      if (room > 0) kept[stream].push(chunk.subarray(0, room));
      size[stream] += chunk.length;
    },
  });
  return {
    exitCode: result.exitCode,
    stdout: Buffer.concat(kept.stdout).toString("utf8"),
    stderr: Buffer.concat(kept.stderr).toString("utf8"),
    durationMs: Math.max(0, Math.round(how.clock.monotonic() - started)),
    fault: faultOf(result, hook),
    cut: size.stdout > keptBytes,
    aborted: result.aborted,
  };
}

/** Calls a hook in code. Its result counts as the output of a command. */
async function callHook(
  { timeoutMs }: Hook,
  { call, input, signal, clock }: HookProcess & { readonly call: NonNullable<Hook["call"]> },
): Promise<HookRun> {
  const started = clock.monotonic();
  const durationMs = () => Math.max(0, Math.round(clock.monotonic() - started));
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const limit = clock.sleep(timeoutMs, until).then(() => {
    throw new Error(`it did not end within ${timeoutMs / 1000} s`);
  });
  try {
    const calling = (async () => call(input as Record<string, unknown>, until))();
    const output = await Promise.race([calling, limit]);
    const stdout = output === undefined ? "" : JSON.stringify(output);
    return { ...notRun, exitCode: 0, stdout, durationMs: durationMs() };
  } catch (error) {
    return { ...notRun, durationMs: durationMs(), fault: messageOf(error), aborted: signal.aborted };
  } finally {
    over.abort();
    limit.catch(() => undefined); // the race has its outcome
  }
}

const notRun = { exitCode: null, stdout: "", stderr: "", durationMs: 0, cut: false, aborted: false };

function faultOf(result: Awaited<ReturnType<ProcessScope["run"]>>, { timeoutMs }: Hook): string | undefined {
  if (result.startFailure !== undefined) return result.startFailure;
  if (result.timedOut) return `it was killed after ${timeoutMs / 1000} s`;
  if (result.flooded) return `it was killed because it printed more than ${floodBytes / 1024 / 1024} MB`;
  if (result.signal !== null) return `it was killed by ${result.signal}`;
  return undefined;
}
