import { orderMounts, type SandboxMount } from "./sandbox-mounts.ts";

export interface BwrapPlan {
  /** Real paths. The folders and files of `writable` and `readOnly` exist. */
  readonly mounts: readonly SandboxMount[];
  readonly cwd: string;
  /** Names below /proc that exist on this machine. */
  readonly proc: { readonly readOnly: readonly string[]; readonly hidden: readonly string[] };
  /** Paths below /run that programs need. */
  readonly keptRunPaths: readonly string[];
  /** False if this bwrap is too old for the option. */
  readonly disableUserNamespaces: boolean;
}

/**
 * Separate user, process, network, IPC and host name spaces without privileges; the whole disk read-only; then the
 * mounts. The sandbox ends with the process that started it. It has only harmless devices and no system sockets.
 */
export function bwrapArguments(plan: BwrapPlan): string[] {
  const bind = (from: string, to: string) => ["--ro-bind", from, to];
  return [
    ...ownNamespaces,
    ...(plan.disableUserNamespaces ? ["--disable-userns"] : []),
    ...noCapabilities,
    ...wholeDisk,
    // Root could write system settings here even without privileges: the kernel checks the user id.
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

/** Much cheaper than a read-only bind mount; there can be many of them. */
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
