import type { Reporter, TestModule } from "vitest/node";

/** Names at the end every test that passed only when it was tried again: a fault, in the test or in the program. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const again = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0),
    );
    if (again.length === 0) return;
    process.stdout.write(`\n${again.length} tried a second time, to be mended:\n`);
    for (const test of again) process.stdout.write(`  ${test.module.relativeModuleId} > ${test.fullName}\n`);
  }
}
