import { spawnSync } from "node:child_process";

/** These tests are worth nothing where they are skipped: without its tool a test fails and says what to install. */
export function needStrace(): void {
  const tried = spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]);
  if (tried.status !== 0) throw new Error("this test needs strace: install the package strace (and allow ptrace)");
}

export function needUserNamespaces(): void {
  const tried = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]);
  if (tried.status === 0) return;
  throw new Error("this test needs unshare -Urm: install the package util-linux (and allow user namespaces)");
}
