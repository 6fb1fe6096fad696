import { findExecutable } from "../process/find-executable.ts";
import { runProcess } from "../process/run-process.ts";

export interface GitOptions {
  readonly cwd: string;
  /** The user's environment; variables that could steer git are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Settings in addition to the safe ones, which nothing in the repository can override. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Output beyond this is dropped. */
  readonly limitBytes?: number;
  /** The index file that git uses instead of the repository's own. */
  readonly indexFile?: string;
  /** Written to its standard input. */
  readonly stdin?: string | Uint8Array;
}

export interface GitResult {
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly stdout: string;
  /** The raw output, for content that may not be text. */
  readonly bytes: Buffer;
  readonly stderr: string;
}

/**
 * Runs git so that nothing in a repository or its config is executed: no hooks, file-system monitor, pager, prompt or
 * nested bare repository. The caller must switch off the repository's filters and drivers.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const git = await findExecutable("git", options.env?.["PATH"]);
  if (git === undefined)
    return { ok: false, exitCode: null, stdout: "", bytes: Buffer.alloc(0), stderr: "git is not installed" };
  const limit = options.limitBytes ?? 4 * 1024 * 1024;
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const kept = { stdout: 0, stderr: 0 };
  const result = await runProcess({
    command: git,
    args,
    cwd: options.cwd,
    env: gitEnvironment(options),
    ...(options.signal && { signal: options.signal }),
    ...(options.stdin !== undefined && { stdin: options.stdin }),
    timeoutMs: options.timeoutMs ?? 30_000,
    onOutput(chunk, stream) {
      if (stream === "side") return;
      const piece = chunk.subarray(0, limit - kept[stream]);
      kept[stream] += piece.length;
      if (piece.length > 0) output[stream].push(piece);
    },
  });
  const bytes = Buffer.concat(output.stdout);
  return {
    ok: result.exitCode === 0 && !result.aborted && !result.timedOut,
    exitCode: result.exitCode,
    stdout: bytes.toString("utf8"),
    bytes,
    stderr: result.startFailure ?? Buffer.concat(output.stderr).toString("utf8"),
  };
}

const safeSettings: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.askPass": "",
  "core.sshCommand": "ssh -oBatchMode=yes",
  "credential.helper": "",
  "diff.external": "",
  "log.showSignature": "false",
  "protocol.file.allow": "never",
  "protocol.ext.allow": "never",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

function gitEnvironment(options: GitOptions): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value !== undefined && !/^(GIT_|LD_)/.test(name)) env[name] = value;
  }
  Object.assign(env, {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    LC_ALL: "C",
    ...(options.indexFile !== undefined && { GIT_INDEX_FILE: options.indexFile }),
  });
  const settings = Object.entries({ ...safeSettings, ...options.settings });
  env["GIT_CONFIG_COUNT"] = String(settings.length);
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
