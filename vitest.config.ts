import { defineConfig } from "vitest/config";
import LongFirst from "./test/support/setup/slow-files-first.ts";

export default defineConfig({
  define: { __TROUPE_VERSION__: JSON.stringify("0.0.0-test") },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/setup/build-dist.ts", "test/support/setup/compiled-code.ts"],
    setupFiles: ["test/support/setup/isolated-home.ts"],
    // These limits only end a test that hangs. A wait ends as soon as its event comes, so no test has a limit of its own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: "forks",
    // A worker runs many files and loads what they import once: a helper registers its hooks in the test, never when it is imported.
    isolate: false,
    // One more than the cores of a small machine: a third of the tests' time is waiting.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
  },
});
