import { spawnSync } from "node:child_process";

/** Fails the test and names the tool to install: a skipped test would prove nothing. */
export function needStrace(): void {
  const tried = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]);
  if (tried.status !== 0) throw new Error("this test needs strace: install the package strace (and allow ptrace)");
}

/**
 * Makes strace stop the program only at traced calls, which saves most of the time. Not for signals: with this option
 * strace does not deliver a signal at every call that it is meant for.
 */
export const onlyTheseStop = (fault: string): string[] => (fault.startsWith("error=") ? ["--seccomp-bpf"] : []);

export function needUserNamespaces(): void {
  const tried = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]);
  if (tried.status === 0) return;
  throw new Error("this test needs unshare -Urm: install the package util-linux (and allow user namespaces)");
}
