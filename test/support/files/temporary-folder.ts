import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Removed after the test. A concurrent test passes the `onTestFinished` of its context. */
export function temporaryFolder(onFinished: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-test-"));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
