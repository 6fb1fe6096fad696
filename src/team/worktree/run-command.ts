import { createProcessScope, findExecutable } from "../../platform/index.ts";
import { type CommandSandbox, placeInSandbox } from "../../tool/index.ts";
import type { RepositoryContext } from "./repository.ts";

export interface CommandRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The walls of the command. Without them it runs as the user. */
  readonly sandbox?: CommandSandbox | undefined;
}

export interface CommandResult {
  readonly ok: boolean;
  /** `exit code 1`, `timeout after 60 s`, … */
  readonly how: string;
  /** The end of its output. */
  readonly tail: string;
}

/** Runs one of the project's own commands. No process that it started outlives it. */
export async function runCommand(place: RepositoryContext, run: CommandRun): Promise<CommandResult> {
  const shell = (await findExecutable("bash", place.env["PATH"])) ?? "/bin/sh";
  const request = { command: shell, args: ["-c", run.command], cwd: run.cwd, env: run.env };
  const placed = await placeInSandbox(request, { sandbox: run.sandbox, place: { walls: "work" } });
  if (placed.kind === "refused") return { ok: false, how: placed.message, tail: "" };
  const scope = createProcessScope();
  let tail = "";
  try {
    const result = await scope.run({
      ...placed.request,
      timeoutMs: run.timeoutMs,
      ...(place.signal && { signal: place.signal }),
      onOutput(chunk, stream) {
        if (stream !== "side") tail = (tail + chunk.toString("utf8")).slice(-tailCharacters);
      },
    });
    place.signal?.throwIfAborted();
    const how = result.timedOut
      ? `timeout after ${run.timeoutMs / 1000} s`
      : (result.startFailure ?? (result.signal ? `killed by ${result.signal}` : `exit code ${result.exitCode}`));
    return { ok: result.exitCode === 0 && !result.timedOut, how, tail: lastLines(tail) };
  } finally {
    await scope.close();
    await placed.release();
  }
}

const tailCharacters = 16_000;
const tailLines = 60;

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-tailLines).join("\n");
