import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { runProcess } from "../process/run-process.ts";
import { hasErrorCode } from "../files/storage-error.ts";
import { bwrapArguments, systemPaths } from "./bwrap-arguments.ts";

export interface BwrapProgram {
  readonly path: string;
  /** False if this bwrap is too old for the option. */
  readonly disableUserNamespaces: boolean;
}

export type BwrapProbe = { readonly program: BwrapProgram } | { readonly problem: string };

/** Fixed paths: a bwrap from a repository or a search path could not be trusted. */
const programs = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/**
 * Finds out whether bwrap works here by running it. A success is remembered in the file until the next boot, another
 * bwrap or another container. A failure is tried again: the user may have fixed it.
 */
export async function probeBwrap(memory: string | undefined): Promise<BwrapProbe> {
  const path = programs.find((candidate) => existsSync(candidate));
  if (path === undefined) return { problem: "bwrap is not installed: install the package bubblewrap" };
  const here = placeKey(path);
  const known = memory === undefined ? undefined : recall(memory, here);
  if (known !== undefined) return { program: { path, disableUserNamespaces: known } };
  let why: string | undefined;
  for (const disableUserNamespaces of [true, false]) {
    const failure = await attempt({ path, disableUserNamespaces });
    if (failure === undefined) {
      if (memory !== undefined) remember(memory, { here, disableUserNamespaces });
      return { program: { path, disableUserNamespaces } };
    }
    why ??= failure;
  }
  return { problem: `bwrap does not work here (${why}): ${fixFor(why ?? "")}` };
}

/** Distributions that restrict user namespaces by AppArmor report it in this way. */
function fixFor(why: string): string {
  const restricted = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
  const isRestricted = existsSync(restricted) && tryRead(() => readFileSync(restricted, "utf8"))?.trim() === "1";
  const way = isRestricted
    ? "allow user namespaces (sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap)"
    : /could not be started/.test(why)
      ? "reinstall the package bubblewrap"
      : "allow user namespaces (in a container: run it with --security-opt seccomp=unconfined or --privileged)";
  return `${way}, or turn the sandbox off with sandbox.mode`;
}

async function attempt(program: BwrapProgram): Promise<string | undefined> {
  const args = bwrapArguments({ mounts: [], cwd: "/", ...systemPaths("none"), ...program });
  let said = "";
  const result = await runProcess({
    command: program.path,
    args: [...args, program.path, "--version"],
    cwd: "/",
    env: {},
    timeoutMs: 10_000,
    onOutput: (chunk) => {
      said = (said + chunk.toString("utf8")).slice(0, 500);
    },
  });
  return result.exitCode === 0 ? undefined : result.startFailure || said.trim() || `exit code ${result.exitCode}`;
}

/** Differs after a boot, in another container, for another user and for another bwrap. */
function placeKey(program: string): string {
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.trim() ?? "";
  const space = tryRead(() => readlinkSync("/proc/self/ns/mnt")) ?? "";
  const { mtimeMs, size } = statSync(program);
  return [boot, space, process.getuid?.() ?? "", program, mtimeMs, size].join(" ");
}

/** Returns the value of `disableUserNamespaces`, or undefined if nothing is known about this place. */
function recall(memory: string, here: string): boolean | undefined {
  const text = tryRead(() => readFileSync(memory, "utf8"));
  if (text === `${here} yes\n`) return true;
  return text === `${here} no\n` ? false : undefined;
}

/** Creates no home for it: a session in memory leaves no file. The next session tries again if it cannot be written. */
function remember(memory: string, known: { readonly here: string; readonly disableUserNamespaces: boolean }): void {
  tryRead(() => {
    const next = `${memory}.${process.pid}`;
    writeFileSync(next, `${known.here} ${known.disableUserNamespaces ? "yes" : "no"}\n`, { mode: 0o600 });
    try {
      renameSync(next, memory);
    } finally {
      rmSync(next, { force: true });
    }
    return memory;
  });
}

/** Errors of a file that cannot be used as memory. */
const noMemory = [
  "ENOENT",
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "ENOTDIR",
  "EISDIR",
  "EEXIST",
  "EDQUOT",
  "ELOOP",
] as const;

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, ...noMemory)) return undefined;
    throw error;
  }
}
