import { expect, test } from "vitest";
import type { StoredTeam } from "../../../src/store/index.ts";
import type { Backend } from "../../../src/team/backend/backend.ts";
import { heldBackend, ledTeam, wishFor } from "../../support/team/led-team.ts";

/** Records the owner of the first task each time the end of a member is written. */
function watchingEnds() {
  const owners: (string | undefined)[] = [];
  const seen = (real: StoredTeam): StoredTeam => ({
    ...real,
    record: {
      ...real.record,
      end: async (name, ended) => {
        owners.push((await real.tasks.get(1))?.owner);
        return real.record.end(name, ended);
      },
    },
  });
  return { owners, seen };
}

const withTask = async ({ tasks }: StoredTeam) => {
  await tasks.create({ subject: "paint", description: "" }, { name: "team-lead" });
  await tasks.claim(1, { name: "scout" });
};

test("tasks are released before the end is written: a lead that dies in between leaves none behind", async () => {
  const { owners, seen } = watchingEnds();
  const { team, stored } = await ledTeam({ backend: heldBackend({}), seen });
  await team.spawn(wishFor("scout", "call_1"));
  await withTask(stored);
  await team.stop("scout", { now: true });
  expect(owners).toEqual([undefined]);
  expect(await stored.tasks.get(1)).toMatchObject({ status: "pending" });
});

test("a task of an ended member names the branch of its work", async () => {
  const { team, stored } = await ledTeam({ backend: heldBackend({}) });
  const worktree = { path: "/trees/scout-7c1d", branch: "troupe/scout-7c1d" };
  await team.spawn({ ...wishFor("scout", "call_1"), worktree });
  await withTask(stored);
  await team.stop("scout", { now: true });
  const [task] = await stored.tasks.list();
  expect(task).toMatchObject({ status: "pending" });
  expect(task?.owner).toBeUndefined();
  expect(task?.past).toMatchObject([{ owner: "scout", said: { branch: "troupe/scout-7c1d" } }]);
});

test("the same for a lost member", async () => {
  const { owners, seen } = watchingEnds();
  let crash: (why: string) => void = () => undefined;
  const backend: Backend = {
    ...heldBackend({}),
    start: async () => ({
      ended: new Promise((resolve) => (crash = resolve)),
      kill: async () => undefined,
    }),
  };
  const { team, stored, recorded } = await ledTeam({ backend, seen });
  await team.spawn(wishFor("scout", "call_1"));
  await withTask(stored);
  crash("it fell over");
  await expect.poll(() => recorded.some(({ type }) => type === "notice.raised")).toBe(true);
  expect(owners).toEqual([undefined]);
  expect(recorded).toMatchObject([
    {},
    { message: expect.stringContaining("is gone: it fell over. Released to the task list: #1.") as string },
  ]);
});

test("the same for a member that cannot be respawned", async () => {
  let starts = 0;
  const backend = heldBackend({
    start: async () => {
      starts += 1;
      if (starts > 1) throw new Error("no room");
    },
  });
  const { owners, seen } = watchingEnds();
  const { team, stored } = await ledTeam({ backend, seen });
  await team.spawn(wishFor("scout", "call_1"));
  await team.stop("scout", { now: true });
  await withTask(stored);
  await expect(team.respawn("scout")).rejects.toThrow("no room");
  expect(owners).toEqual([undefined, undefined]);
  expect((await stored.tasks.get(1))?.owner).toBeUndefined();
});
