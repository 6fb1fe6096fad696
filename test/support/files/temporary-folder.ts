import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Gone when the test is. A concurrent test passes the `onTestFinished` of its own context. */
export function temporaryFolder(onFinished: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-test-"));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
