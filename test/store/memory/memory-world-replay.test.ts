import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { MailId } from "../../../src/protocol/index.ts";
import { createMemoryWorld, type MemoryProcess } from "../../../src/store/index.ts";
import { createVirtualClock } from "../../../src/testing/virtual-clock.ts";
import { textMail } from "../../support/mail/sample-mail.ts";

/** Small numbers that depend only on the seed. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Three processes send, read, create and claim at random times. One of them dies at a random record. */
async function simulate(seed: number) {
  const random = randomFrom(seed);
  const clock = createVirtualClock();
  const trace: string[] = [];
  const killAt = random(100);
  const world = createMemoryWorld({
    clock,
    fillRandom: (bytes) => bytes.forEach((_, at) => (bytes[at] = random(256))),
    onRecord: ({ process, path }) => {
      if (trace.push(`${clock.monotonic()} ${process.identity.pid} ${path}`) === killAt) process.kill();
    },
  });
  const mailId = createIdFactory(clock, (bytes) => bytes.fill(1));

  const work = async (process: MemoryProcess) => {
    const me = String(process.identity.pid);
    const team = await process.teams.open("crew");
    const reader = await team.inbox(me).openReader();
    for (let step = 0; step < 20; step++) {
      await process.clock.sleep(random(1_000));
      const to = String(1001 + random(3));
      await team.inbox(to).send(textMail(`${step}`, { id: mailId<MailId>("mail"), from: me, to }));
      await team.tasks.create({ subject: `${me} ${step}`, description: "" }, { name: me });
      await team.tasks.claim(1 + random(20), { name: me });
      await reader.mark(
        (await reader.unread()).map(({ mail }) => mail.id),
        "read",
      );
    }
    return "done";
  };

  const processes = [world.startProcess(), world.startProcess(), world.startProcess()];
  await processes[0]?.teams.create({ name: "crew", cwd: "/work" });
  const working = processes.map(work);
  const run = await clock.run(Promise.all(working));
  const seen = await world.startProcess().teams.open("crew");
  return { outcome: run.outcome, trace, tasks: await seen.tasks.list() };
}

test("the same seed gives the same records at the same times, with the same kill", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const first = await simulate(seed);
    // The work of the killed process never ends, and nothing else waits for it.
    expect(first.outcome).toBe("stalled");
    expect(first.trace.length).toBeGreaterThan(100);
    expect(await simulate(seed)).toEqual(first);
  }
});
