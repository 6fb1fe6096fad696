import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdFactory } from "../../src/platform/index.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createBackgroundJobs } from "../../src/tool/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

test("waiting for a job ends with the job, its time or its signal, on the passed clock", async () => {
  const clock = createVirtualClock();
  const folder = temporaryFolder();
  const jobs = createBackgroundJobs({
    clock,
    createId: createIdFactory(clock),
    outputFile: (id) => join(folder, id),
    onEvent: () => undefined,
    onUnreported: expect.unreachable,
  });
  const work = async () => {
    const job = await jobs.start({
      kind: "agent",
      description: "a minute of work",
      run: async ({ signal }) => {
        await clock.sleep(60_000, signal);
        return { status: "completed", exitCode: 0 };
      },
    });
    const { signal } = new AbortController();
    await job.waitForEnd(30_000, signal);
    expect([clock.monotonic(), job.ended]).toEqual([30_000, undefined]);
    await expect(job.waitForEnd(1_000, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    await job.waitForEnd(600_000, signal);
    expect([clock.monotonic(), job.ended]).toMatchObject([60_000, { status: "completed" }]);
  };
  expect(await clock.run(work())).toMatchObject({ outcome: "done" });
  expect(clock.sleeping).toBe(0);
});

test.each([
  ["one\ntwo\n", "one\ntwo"],
  [`${"x".repeat(60)}\n`.repeat(40), `[…]\n${`${"x".repeat(60)}\n`.repeat(16).trimEnd()}`],
  ["y".repeat(3_000), `[…]\n${"y".repeat(1_000)}`],
])("the end of a command comes with its last lines", async (output, tail) => {
  const clock = createVirtualClock();
  const folder = temporaryFolder();
  const tails: unknown[] = [];
  const jobs = createBackgroundJobs({
    clock,
    createId: createIdFactory(clock),
    outputFile: (id) => join(folder, id),
    onEvent: (event, more) => void (event.type === "background.ended" && tails.push(more?.tail)),
    onUnreported: expect.unreachable,
  });
  const job = await jobs.start({
    kind: "shell",
    description: "print",
    run: async ({ write }) => {
      write(Buffer.from(output));
      return { status: "completed", exitCode: 0 };
    },
  });
  await job.stop();
  expect(tails).toEqual([tail]);
});
