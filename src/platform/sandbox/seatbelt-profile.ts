import { dirname } from "node:path";
import type { Walls } from "./sandbox.ts";

/** Its paths are real and absolute. */
export interface SeatbeltPlan
  extends Pick<Walls, "writable" | "protectedPaths" | "pinned" | "locks" | "hidden" | "readable"> {
  /** The port of the proxy on the loopback address. Without it there is no network. */
  readonly proxyPort?: number | undefined;
  /** True if every host may be reached. */
  readonly anyHost?: boolean | undefined;
}

/**
 * Returns a profile for macOS's `sandbox-exec`. Everything is denied by default, and of several matching rules the last
 * one applies. So the rules for protected and hidden paths come after the allowed ones.
 */
export function seatbeltProfile(plan: SeatbeltPlan): string {
  const { writable, protectedPaths, locks = [], hidden, readable, proxyPort, anyHost } = plan;
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    "(allow ipc-posix-sem)",
    `(allow mach-lookup ${[...services, ...(proxyPort === undefined && !anyHost ? [] : [certificates])].map((name) => `(global-name ${quote(name)})`).join(" ")})`,
    "(allow file-read*)",
    `(allow file-write* ${devices.map((path) => `(literal ${quote(path)})`).join(" ")})`,
    '(allow file-ioctl (regex #"^/dev/tty"))',
    ...writable.map((path) => `(allow file-write* (subpath ${quote(path)}))`),
    ...hidden.map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
    ...readable.map((path) => `(allow file-read* (subpath ${quote(path)}))`),
    ...protectedPaths.map((path) => `(deny file-write* (subpath ${quote(path)}))`),
    ...locks.map((path) => `(allow file-write* (literal ${quote(path)}))`),
    // A protected path must not be moved with its parent folder and then created again.
    ...foldersAbove(plan).map((path) => `(deny file-write-unlink (literal ${quote(path)}))`),
    anyHost ? "(allow network*)" : "(deny network*)",
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    "",
  ].join("\n");
}

/** Services that programs need to start. None of them opens, runs or sends anything on request. */
const services = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.logd",
];
/** Checks certificates; useful only with a network. */
const certificates = "com.apple.trustd.agent";

const devices = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

function foldersAbove({ writable, protectedPaths, pinned = [] }: SeatbeltPlan): string[] {
  const above = new Set<string>(pinned);
  for (const path of protectedPaths) {
    for (let folder = dirname(path); isBelowAny(folder, writable); folder = dirname(folder)) above.add(folder);
  }
  return [...above];
}

const isBelowAny = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** Quotes a string of the profile language; a path that could end the string early is refused. */
function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- searches for control characters
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new Error(`cannot sandbox a path with control characters: ${JSON.stringify(text)}`);
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
