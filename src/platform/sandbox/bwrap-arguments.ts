import { existsSync } from "node:fs";
import { orderMounts, type SandboxMount } from "./sandbox-mounts.ts";

export interface BwrapPlan {
  /** Real paths. The folders and files of `writable` and `readOnly` exist. */
  readonly mounts: readonly SandboxMount[];
  readonly cwd: string;
  /** Names below /proc that exist on this machine: read-only folders, folders to empty, and files to hide. */
  readonly proc: {
    readonly readOnly: readonly string[];
    readonly empty: readonly string[];
    readonly hidden: readonly string[];
  };
  /** Paths below /run that programs need. */
  readonly keptRunPaths: readonly string[];
  /** False if this bwrap is too old for the option. */
  readonly disableUserNamespaces: boolean;
  /** True if the command may use the network of this machine. */
  readonly sharesNetwork?: boolean | undefined;
}

/**
 * Separate user, process, network, IPC and host name spaces without privileges; the whole disk read-only; then the
 * mounts. The sandbox ends with the process that started it. It has only harmless devices and no system sockets.
 */
export function bwrapArguments(plan: BwrapPlan): string[] {
  const bind = (from: string, to: string) => ["--ro-bind", from, to];
  return [
    ...ownNamespaces,
    ...(plan.sharesNetwork ? [] : ["--unshare-net"]),
    ...(plan.disableUserNamespaces ? ["--disable-userns"] : []),
    ...noCapabilities,
    ...wholeDisk,
    // Root could write system settings here even without privileges: the kernel checks the user id.
    ...plan.proc.readOnly.flatMap((name) => bind(`/proc/${name}`, `/proc/${name}`)),
    ...plan.proc.empty.flatMap((name) => emptyFolder(`/proc/${name}`)),
    ...plan.proc.hidden.flatMap((name) => unreadable(`/proc/${name}`)),
    ...emptyFolder("/run"),
    ...plan.keptRunPaths.flatMap((path) => bind(path, path)),
    ...orderMounts(plan.mounts).flatMap(mountArguments),
    "--chdir",
    plan.cwd,
    "--",
  ];
}

/** The paths that exist on this machine. Only root could write system settings, wherever they are mounted. */
export const systemPaths = (network: "none" | "hosts" | "all"): Pick<BwrapPlan, "proc" | "keptRunPaths"> => ({
  proc: isRoot
    ? {
        readOnly: readOnlyProc.filter(isInProc),
        empty: emptyProc.filter(isInProc),
        hidden: hiddenProc.filter(isInProc),
      }
    : nothing,
  keptRunPaths: [...keptRunPaths, ...(network === "all" ? nameServerPaths : [])].filter((path) => existsSync(path)),
});

const ownNamespaces = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
const noCapabilities = ["--cap-drop", "ALL", "--die-with-parent", "--new-session"];
const wholeDisk = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

const isRoot = process.getuid?.() === 0;
const nothing = { readOnly: [], empty: [], hidden: [] };
const isInProc = (name: string) => existsSync(`/proc/${name}`);
const readOnlyProc = ["sys"];
const emptyProc = ["fs", "irq", "bus", "acpi", "scsi", "driver"];
const hiddenProc = ["sysrq-trigger", "mtrr", "kcore", "keys", "kmsg", "timer_list", "sched_debug", "latency_stats"];
const keptRunPaths = ["/run/current-system", "/run/wrappers", "/run/opengl-driver"];
/** `/etc/resolv.conf` often is a link to a file there. */
const nameServerPaths = ["/run/systemd/resolve", "/run/resolvconf"];

/** Much cheaper than a read-only bind mount; there can be many of them. */
const emptyFolder = (path: string) => ["--perms", "0555", "--tmpfs", path];

/** A device behind a mount without devices cannot be opened. A mount that may be written is cheaper. */
const unreadable = (path: string) => ["--bind", "/dev/null", path];

function mountArguments(mount: SandboxMount): string[] {
  switch (mount.kind) {
    case "writable":
      return ["--bind", mount.path, mount.path];
    case "readOnly":
      return ["--ro-bind", mount.path, mount.path];
    case "scratch":
      return ["--perms", "0755", "--tmpfs", mount.path];
    case "shown":
      return ["--ro-bind-try", mount.path, mount.path];
    case "hiddenFolder":
      return emptyFolder(mount.path);
    case "hiddenFile":
      return unreadable(mount.path);
    case "private":
      return ["--bind", mount.source, mount.path];
    case "replaced":
      return ["--ro-bind", mount.source, mount.path];
  }
}
