import { existsSync, lstatSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isInside, realPathSync } from "../files/real-path.ts";
import { runProcess } from "../process/run-process.ts";
import type { ProcessRequest } from "../process/start-process.ts";
import { hasErrorCode } from "../files/storage-error.ts";
import { bwrapArguments } from "./bwrap-arguments.ts";
import { createEgress, type Egress } from "./egress.ts";
import { parseAllowedHost } from "./judge-host.ts";
import { listeningSockets } from "./listening-sockets.ts";
import { createPlaceholders } from "./placeholders.ts";
import type { EnteredSandbox, Sandbox, SandboxOptions } from "./sandbox.ts";
import type { SandboxMount } from "./sandbox-mounts.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";

/** Fixed paths: a bwrap from a repository or a search path could not be trusted. */
const programs = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const systemFolders = ["/proc", "/sys", "/dev", "/run", "/etc", "/usr", "/var/run"];
const readOnlyProc = ["sys", "fs", "irq", "bus", "acpi", "scsi", "driver"];
const hiddenProc = ["sysrq-trigger", "mtrr", "kcore", "keys", "kmsg", "timer_list", "sched_debug", "latency_stats"];
const keptRunPaths = ["/run/current-system", "/run/wrappers", "/run/opengl-driver"];

export function createBwrapSandbox(options: SandboxOptions): Sandbox {
  const placeholders = createPlaceholders();
  const hosts = options.hosts.map(parseAllowedHost);
  const writable = options.writable.map((path) => realPathSync(path)).filter((path) => existsSync(path));
  let folder: Promise<string> | undefined;
  let egress: Promise<Egress> | undefined;
  let trial: Promise<TrialResult> | undefined;

  /** The /tmp of this session's commands. */
  const privateFolder = () =>
    (folder ??= mkdtemp(join(tmpdir(), "troupe-sandbox-")).then((path) => realPathSync(path)));

  const fixedMounts = async (): Promise<SandboxMount[]> => [
    { kind: "private", path: "/tmp", source: await privateFolder() },
    ...(isFolder("/var/tmp") ? [{ kind: "hiddenFolder", path: "/var/tmp" } as const] : []),
    ...(isFolder("/var/run") ? [{ kind: "hiddenFolder", path: "/var/run" } as const] : []),
    ...writable.map((path) => ({ kind: "writable", path }) as const),
    ...options.hidden.flatMap(hide),
    ...options.readable().flatMap((path) => (existsSync(path) ? [{ kind: "readOnly", path } as const] : [])),
  ];

  const plan = async (program: Program, request: Pick<ProcessRequest, "cwd">) => {
    const fixed = await fixedMounts();
    const guarded = options.protectedPaths();
    const found = new Map(guarded.map((path) => [path, lstatIfThere(path)]));
    const link = guarded.find((path) => found.get(path)?.isSymbolicLink());
    if (link !== undefined) throw new UnprotectedError(link);
    const isAbsent = (path: string) => found.get(path) === undefined || placeholders.has(path);
    const present = guarded.filter((path) => !isAbsent(path));
    const held = placeholders.hold(guarded.filter(isAbsent));
    const mounts: SandboxMount[] = [
      ...fixed,
      ...present.map((path) => ({ kind: "readOnly", path }) as const),
      ...held.map((path) => ({ kind: "hiddenFolder", path }) as const),
      ...listeningSockets()
        .filter((path) => isVisible(path, fixed) && existsSync(path))
        .map((path) => ({ kind: "hiddenFile", path }) as const),
    ];
    const args = bwrapArguments({
      mounts,
      cwd: request.cwd,
      proc: isRoot ? { readOnly: readOnlyProc.filter(isInProc), hidden: hiddenProc.filter(isInProc) } : nothing,
      keptRunPaths: keptRunPaths.filter((path) => existsSync(path)),
      disableUserNamespaces: program.disableUserNamespaces,
    });
    return { args, held };
  };

  const attempt = async (program: Program): Promise<string | undefined> => {
    const { args, held } = await plan(program, { cwd: "/" });
    let said = "";
    const result = await runProcess({
      command: program.path,
      args: [...args, "/bin/sh", "-c", "exit 0"],
      cwd: "/",
      env: {},
      timeoutMs: 10_000,
      onOutput: (chunk) => {
        said = (said + chunk.toString("utf8")).slice(0, 500);
      },
    });
    placeholders.release(held);
    return result.exitCode === 0 ? undefined : result.startFailure || said.trim() || `exit code ${result.exitCode}`;
  };

  const tryOnce = async (): Promise<TrialResult> => {
    const whole = writable.find((folder) => systemFolders.some((path) => isInside(path, folder)));
    if (whole !== undefined)
      return { problem: `${whole} cannot be a working folder of a sandbox: it contains the system` };
    const path = programs.find((candidate) => existsSync(candidate));
    if (path === undefined) return { problem: "bwrap is not installed: install the package bubblewrap" };
    try {
      const program = { path, disableUserNamespaces: true };
      const why = await attempt(program);
      if (why === undefined) return { program };
      const older = { path, disableUserNamespaces: false };
      if ((await attempt(older)) === undefined) return { program: older };
      return { problem: `bwrap does not work here (${why}): allow user namespaces, or turn the sandbox off` };
    } catch (error) {
      if (error instanceof UnprotectedError) return { problem: error.message };
      throw error;
    }
  };
  const tryIt = () => (trial ??= tryOnce());

  const enter = async (request: ProcessRequest): Promise<EnteredSandbox> => {
    const { program, problem } = await tryIt();
    if (program === undefined) throw new Error(problem);
    const { askHost } = options;
    const isShut = hosts.length === 0 && askHost === undefined;
    const through = isShut ? undefined : await (egress ??= createEgress(hosts, await privateFolder(), askHost));
    const { args, held } = await plan(program, request);
    return {
      request: {
        command: program.path,
        args: [...args, ...(through?.launcher ?? []), request.command, ...request.args],
        cwd: "/",
        env: { ...sandboxEnvironment(request.env), ...through?.env },
      },
      release: () => Promise.resolve(placeholders.release(held)),
    };
  };

  return {
    problem: async () => (await tryIt()).problem,
    enter,
    async close() {
      await (await egress)?.close();
      placeholders.close();
      if (folder) await rm(await folder, { recursive: true, force: true });
    },
  };
}

interface Program {
  readonly path: string;
  readonly disableUserNamespaces: boolean;
}

interface TrialResult {
  readonly program?: Program;
  readonly problem?: string;
}

class UnprotectedError extends Error {
  override readonly name = "UnprotectedError";

  constructor(path: string) {
    super(`cannot protect ${path} in the sandbox: it is a symbolic link and could be replaced`);
  }
}

function hide(path: string): SandboxMount[] {
  if (lstatIfThere(path) === undefined) return [];
  const real = realPathSync(path);
  const stats = lstatIfThere(real);
  if (stats === undefined) return [];
  return [{ kind: stats.isDirectory() ? "hiddenFolder" : "hiddenFile", path: real }];
}

/** True if the path is outside every hidden or replaced folder; `/run` is always replaced. */
function isVisible(path: string, mounts: readonly SandboxMount[]): boolean {
  const covers = (mount: SandboxMount) => mount.kind === "hiddenFolder" || mount.kind === "private";
  const around = mounts.filter((mount) => isInside(path, mount.path));
  const nearest = around.sort((a, b) => b.path.length - a.path.length)[0];
  return nearest === undefined ? !isInside(path, "/run") : !covers(nearest);
}

/** Only root could write the system settings, wherever they are mounted. */
const isRoot = process.getuid?.() === 0;
const nothing = { readOnly: [], hidden: [] };
const isInProc = (name: string) => existsSync(`/proc/${name}`);
const isFolder = (path: string) => lstatIfThere(path)?.isDirectory() ?? false;

function lstatIfThere(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (hasErrorCode(error, "ENOTDIR", "EACCES")) return undefined;
    throw error;
  }
}
