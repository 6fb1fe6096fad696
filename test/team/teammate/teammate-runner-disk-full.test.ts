import { expect, test } from "vitest";
import { type StoredEvent, TroupeError, type WorkItem } from "../../../src/protocol/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { bareRunner } from "../../support/team/bare-teammate-runner.ts";

const task = {
  id: 1,
  subject: "fix it",
  description: "",
  status: "pending",
  needs: [],
  blockedBy: [],
  blocks: [],
  generation: 0,
} as unknown as WorkItem;

test("a claim that fails on a full disk succeeds once there is space, and the teammate stays up", async () => {
  const clock = createTestClock();
  const full = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  const recorded: StoredEvent[] = [];
  const failures: unknown[] = [];
  let claims = 0;
  const runner = bareRunner({
    sender: { team: "alpha", name: "scout" } as never,
    agent: {
      running: false,
      record: async (event: StoredEvent) => void recorded.push(event),
      admitOnce: async () => undefined,
      hasPrompt: async () => false,
      wake: () => undefined,
    } as never,
    tasks: {
      list: async () => [task],
      async *follow() {
        // nothing changes
      },
      claim: async () => {
        claims += 1;
        if (claims > 1) return { ok: true, item: { ...task, owner: "scout", status: "in_progress", generation: 1 } };
        throw new TroupeError("storage", "cannot write", { cause: full });
      },
    } as never,
    onEnd: () => undefined,
    onFailure: (error) => failures.push(error),
    clock,
  });
  const started = runner.start();
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(1_000);
  await started;
  expect(recorded).toMatchObject([{ type: "task.claimed", taskId: 1 }]);
  expect(failures).toEqual([]);
  await runner.close();
});
