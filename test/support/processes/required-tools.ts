import { spawnSync } from "node:child_process";

/** These tests are worth nothing where they are skipped: without its tool a test fails and says what to install. */
export function needStrace(): void {
  const tried = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]);
  if (tried.status !== 0) throw new Error("this test needs strace: install the package strace (and allow ptrace)");
}

/**
 * For strace: the program is stopped at the calls that are traced and at no others, which would take most of the time.
 * A signal is not delivered that way at each call that it is meant for.
 */
export const onlyTheseStop = (fault: string): string[] => (fault.startsWith("error=") ? ["--seccomp-bpf"] : []);

export function needUserNamespaces(): void {
  const tried = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]);
  if (tried.status === 0) return;
  throw new Error("this test needs unshare -Urm: install the package util-linux (and allow user namespaces)");
}
