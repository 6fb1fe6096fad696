import { defineConfig } from "vitest/config";

/** Tests of code without a process of its own: those files share one, and what they import is loaded once. */
const together = ["agent", "model", "protocol", "tui", "view", "web"].map((part) => `test/${part}/**/*.test.{ts,tsx}`);

export default defineConfig({
  define: { __TROUPE_VERSION__: JSON.stringify("0.0.0-test") },
  test: {
    projects: [
      { extends: true, test: { name: "together", include: together, isolate: false } },
      { extends: true, test: { name: "alone", include: ["test/**/*.test.{ts,tsx}"], exclude: together } },
    ],
    globalSetup: ["test/setup/build.ts"],
    setupFiles: ["test/setup/isolate.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for may take a while on a busy machine; when it is there, nobody waits on.
    expect: { poll: { timeout: 10_000, interval: 20 } },
    pool: "forks",
    maxWorkers: 2,
    // Many real processes on a machine that may be busy: what fails is tried again, twice at most, and named at the end as a fault.
    retry: 2,
    reporters: ["default", "./test/setup/second-tries.ts"],
  },
});
