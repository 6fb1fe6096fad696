import { defineConfig } from "vitest/config";
import LongFirst from "./test/support/setup/slow-files-first.ts";

export default defineConfig({
  define: { __TROUPE_VERSION__: JSON.stringify("0.0.0-test") },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/support/setup/build-dist.ts", "test/support/setup/compiled-code.ts"],
    setupFiles: ["test/support/setup/isolated-home.ts"],
    // These limits only end a test that hangs, also on a machine that is very busy. A wait ends as soon as its event
    // comes, so no test has a limit of its own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 200_000, interval: 20 } },
    pool: "forks",
    // A worker runs many files and loads what they import once: a helper registers its hooks in the test, never when it is imported.
    isolate: false,
    // Twice the cores of a small machine: half of the tests' time is waiting.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
  },
});
