import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import * as z from "zod";
import { hasErrorCode } from "../files/storage-error.ts";

/** Identifies a process on one boot of one machine. A pid alone is reused. */
export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  /** In the system's format (ticks since boot, or a date); only used for comparison. */
  startedAt: z.string(),
  bootId: z.string(),
  /** The machine's own id, if it has one. */
  machineId: z.string(),
  host: z.string(),
  pidNamespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** Read once: a process keeps its identity. */
export function currentProcess(): ProcessIdentity {
  return (ownIdentity ??= identified(process.pid, startOf(process.pid)));
}

let ownIdentity: ProcessIdentity | undefined;

/** Returns undefined if the process no longer exists. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const start = startOf(pid);
  return start === "gone" ? undefined : identified(pid, start);
}

function identified(pid: number, start: ReturnType<typeof startOf>): ProcessIdentity {
  return {
    pid,
    startedAt: typeof start === "string" ? "" : start.at,
    bootId: bootId(),
    machineId: optionalFile("/etc/machine-id") ?? "",
    host: hostname(),
    pidNamespace: optionalLink("/proc/self/ns/pid") ?? "",
  };
}

/**
 * Returns `dead` only if the process cannot be alive: the machine rebooted, the pid is free, or it belongs to a process
 * that started later.
 */
export function isAlive(
  identity: ProcessIdentity,
  here: ProcessIdentity = currentProcess(),
): "alive" | "dead" | "unknown" {
  const sameMachine = identity.host === here.host && identity.machineId === here.machineId;
  if (identity.bootId !== here.bootId) return sameMachine ? "dead" : "unknown";
  if (here.bootId === "" && !sameMachine) return "unknown";
  if (identity.pidNamespace !== here.pidNamespace) return "unknown";
  const start = startOf(identity.pid);
  if (start === "gone") return "dead";
  if (start === "unreadable" || identity.startedAt === "") return "unknown";
  return start.at === identity.startedAt ? "alive" : "dead";
}

function startOf(pid: number): { at: string } | "gone" | "unreadable" {
  if (!pidExists(pid)) return "gone";
  return process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ESRCH")) return false;
    if (hasErrorCode(error, "EPERM")) return true;
    throw error;
  }
}

/** The name in brackets may itself contain spaces and brackets, so fields are counted from the last bracket. */
function startOnLinux(pid: number): { at: string } | "gone" | "unreadable" {
  const text = optionalFile(`/proc/${pid}/stat`);
  if (text === undefined) return pidExists(pid) ? "unreadable" : "gone";
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  if (state === "Z" || state === "X") return "gone";
  const ticks = fields[19];
  return ticks === undefined ? "unreadable" : { at: ticks };
}

function startByPs(pid: number): { at: string } | "gone" | "unreadable" {
  try {
    const options = { encoding: "utf8", env: { LC_ALL: "C", TZ: "UTC" }, stdio: "pipe" } as const;
    const at = execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], options).trim();
    return at === "" ? "gone" : { at };
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1) return "gone";
    return "unreadable";
  }
}

function bootId(): string {
  if (process.platform === "linux") return optionalFile("/proc/sys/kernel/random/boot_id") ?? "";
  if (process.platform !== "darwin") return "";
  return execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
}

/** Returns undefined if the system has no such file or hides it. The result is then `unknown`, not `dead`. */
function optionalFile(path: string): string | undefined {
  return optional(() => readFileSync(path, "utf8").trim());
}

function optionalLink(path: string): string | undefined {
  return optional(() => readlinkSync(path));
}

function optional(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return undefined;
    throw error;
  }
}
