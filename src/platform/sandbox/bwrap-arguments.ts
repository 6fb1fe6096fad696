import { orderMounts, type SandboxMount } from "./sandbox-mounts.ts";

export interface BwrapPlan {
  /** Real paths. The folders and files of `writable` and `readOnly` exist. */
  readonly mounts: readonly SandboxMount[];
  readonly cwd: string;
  /** Names below /proc that exist on this machine. */
  readonly proc: { readonly readOnly: readonly string[]; readonly hidden: readonly string[] };
  /** Paths below /run without which programs are not found. */
  readonly keptRunPaths: readonly string[];
  /** What this bwrap is too old for is left out. */
  readonly disableUserNamespaces: boolean;
}

/**
 * Own user, process, network, IPC and host-name space, no rights in any of them, the whole disk read-only, and then what the
 * mounts say. It ends with the process that started it. There is no device but the harmless ones and no socket of the
 * system's.
 */
export function bwrapArguments(plan: BwrapPlan): string[] {
  const bind = (from: string, to: string) => ["--ro-bind", from, to];
  return [
    ...ownNamespaces,
    ...(plan.disableUserNamespaces ? ["--disable-userns"] : []),
    ...noCapabilities,
    ...wholeDisk,
    // As root even without rights the system's own settings could be written here: the kernel goes by the number of the user.
    ...plan.proc.readOnly.flatMap((name) => bind(`/proc/${name}`, `/proc/${name}`)),
    ...plan.proc.hidden.flatMap((name) => bind("/dev/null", `/proc/${name}`)),
    ...emptyFolder("/run"),
    ...plan.keptRunPaths.flatMap((path) => bind(path, path)),
    ...orderMounts(plan.mounts).flatMap(mountArguments),
    "--chdir",
    plan.cwd,
    "--",
  ];
}

const ownNamespaces = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-net",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
];
const noCapabilities = ["--cap-drop", "ALL", "--die-with-parent", "--new-session"];
const wholeDisk = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

/** Much cheaper than a read-only mount of something: there can be many of them. */
const emptyFolder = (path: string) => ["--perms", "0555", "--tmpfs", path];

function mountArguments(mount: SandboxMount): string[] {
  switch (mount.kind) {
    case "writable":
      return ["--bind", mount.path, mount.path];
    case "readOnly":
      return ["--ro-bind", mount.path, mount.path];
    case "hiddenFolder":
      return emptyFolder(mount.path);
    case "hiddenFile":
      return ["--ro-bind", "/dev/null", mount.path];
    case "private":
      return ["--bind", mount.source, mount.path];
  }
}
