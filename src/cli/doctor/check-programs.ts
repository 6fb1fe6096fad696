import { existsSync } from "node:fs";
import { findExecutable, runProcess } from "../../platform/index.ts";
import type { Check } from "./finding.ts";
import type { Machine } from "./inspect-machine.ts";

export interface ProgramToFind {
  readonly name: string;
  /** The arguments that print its version. */
  readonly args: readonly string[];
  /** The consequence if the program is missing. */
  readonly consequence: string;
  readonly blocks?: boolean;
}

export function program({ name, args, consequence, blocks = false }: ProgramToFind): Check {
  return {
    name,
    async find({ env }) {
      const path = await findExecutable(name, env["PATH"]);
      if (path !== undefined) return [await versionFinding(path, args, env)];
      return [{ status: "missing", detail: `without it: ${consequence}`, advice: `install ${name}`, blocks }];
    },
  };
}

/** The bundled ripgrep is preferred to the system's. */
export const ripgrep: Check = {
  name: "ripgrep",
  async find({ env }) {
    const shipped = await import("@vscode/ripgrep").then(
      (module) => module.rgPath,
      // An optional dependency: it may be missing or unavailable for this system.
      () => undefined,
    );
    const path = shipped !== undefined && existsSync(shipped) ? shipped : await findExecutable("rg", env["PATH"]);
    if (path !== undefined) return [await versionFinding(path, ["--version"], env)];
    const detail = "without it: agents cannot search with Grep and Glob";
    return [{ status: "missing", detail, advice: "install ripgrep (rg)" }];
  },
};

async function versionFinding(command: string, args: readonly string[], env: Machine["env"]) {
  let output = "";
  const result = await runProcess({
    command,
    args,
    cwd: "/",
    env: { PATH: env["PATH"] ?? "", LC_ALL: "C" },
    timeoutMs: 5000,
    onOutput: (chunk) => {
      output = (output + chunk.toString("utf8")).slice(0, 4096);
    },
  });
  const line = output.split("\n", 1)[0] ?? "";
  if (result.exitCode === 0)
    return { status: "ok", detail: `${/\d+(\.\d+)+\w*/.exec(line)?.[0] ?? line} (${command})` } as const;
  const reason = result.startFailure ?? (result.timedOut ? "no answer" : `exit code ${result.exitCode}: ${line}`);
  return { status: "problem", detail: `${command} does not run: ${reason}`, advice: "reinstall it" } as const;
}
