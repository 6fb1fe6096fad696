import { type Clock, findExecutable, type ProcessScope, redactSecrets } from "../../platform/index.ts";
import { type CommandSandbox, placeInSandbox, shellEnvironment } from "../../tool/index.ts";
import { createCheckOutput } from "./check-output.ts";

/**
 * `claimed`: reported as done, without a check. `verified` and `refuted`: the result of the checks, which the runtime
 * itself runs after the agent has ended.
 */
export interface Acceptance {
  readonly state: "claimed" | "verified" | "refuted";
  readonly checks: readonly CheckResult[];
  /** Why it is still only claimed although there were checks. */
  readonly problem?: string;
}

export interface CheckResult {
  readonly command: string;
  readonly passed: boolean;
  readonly exitCode: number | null;
  /** `exit code 1`, `timeout after 60 s`, … */
  readonly how: string;
  readonly durationMs: number;
  /** The folder in which it ran. */
  readonly cwd: string;
  /** The lines of its output that name a failure, then its end. */
  readonly tail: string;
}

export interface AcceptanceCheckOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: ProcessScope;
  readonly clock: Clock;
  /** For each check. */
  readonly timeoutMs: number;
  readonly sandbox?: CommandSandbox | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs all checks of a task in sequence, each to its end or timeout. Permission to run them was decided before. A
 * failing check refutes; a check that could not run proves nothing.
 */
export async function runAcceptanceChecks(
  checks: readonly string[],
  options: AcceptanceCheckOptions,
): Promise<Acceptance> {
  const results: CheckResult[] = [];
  const problems: string[] = [];
  for (const command of checks) {
    const result = await runCheck(command, options);
    if ("problem" in result) problems.push(result.problem);
    else results.push(result);
    if (options.signal?.aborted) break;
  }
  const [problem] = problems;
  const ran = { checks: results, ...(problem !== undefined && { problem }) };
  if (results.some(({ passed }) => !passed)) return { state: "refuted", ...ran };
  return { state: checks.length > 0 && results.length === checks.length ? "verified" : "claimed", ...ran };
}

async function runCheck(command: string, options: AcceptanceCheckOptions): Promise<CheckResult | { problem: string }> {
  const { cwd, env, processes, clock, timeoutMs, sandbox, signal } = options;
  const shell = (await findExecutable("bash", env["PATH"])) ?? "/bin/sh";
  const request = { command: shell, args: ["-c", command], cwd, env: shellEnvironment(env) };
  const place = await placeInSandbox(request, { sandbox, place: { walls: "work" } });
  if (place.kind === "refused") return { problem: place.message };
  const output = createCheckOutput();
  const started = clock.monotonic();
  let result: Awaited<ReturnType<ProcessScope["run"]>>;
  try {
    result = await processes.run({
      ...place.request,
      timeoutMs,
      ...(signal && { signal }),
      onOutput: (chunk, stream) => void (stream !== "side" && output.add(chunk)),
    });
  } finally {
    await place.release();
  }
  if (result.aborted) return { problem: "the checks were interrupted" };
  if (result.startFailure !== undefined) return { problem: result.startFailure };
  const how = result.timedOut
    ? `timeout after ${timeoutMs / 1000} s`
    : result.signal === null
      ? `exit code ${result.exitCode}`
      : `killed by ${result.signal}`;
  return {
    command,
    passed: result.exitCode === 0 && !result.timedOut,
    exitCode: result.exitCode,
    how,
    durationMs: Math.round(clock.monotonic() - started),
    cwd,
    tail: redactSecrets(output.text()),
  };
}
