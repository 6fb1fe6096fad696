import { expect, it } from "vitest";
import { checkLines } from "../../support/lines/check-lines.ts";
import { checkWalledLines, openWalledWorld } from "../../support/lines/check-walled-lines.ts";
import { openLineWorld } from "../../support/lines/line-world.ts";

it("generated lines that are allowed change nothing and show no secrets in real bash", { timeout: 240_000 }, () => {
  const { wrong, asked, ordinary, ran } = checkLines({ seed: 7, lines: 600, most: 40 });
  expect(wrong).toEqual([]);
  expect(Object.values(ran).reduce((sum, count) => sum + count)).toBeGreaterThan(60);
  expect(asked.length / ordinary).toBeLessThan(0.05);
});

it("the folder for the lines shows what a line does", { timeout: 60_000 }, () => {
  const world = openLineWorld();
  try {
    expect(world.run(["ls", "cat a.txt"])).toMatchObject({ changed: [], leaked: false, removed: false });
    for (const line of ["cat .env", "od -c key.pem", "base64 < ../outside.txt", "rev ~/secret", "cat /etc/hostname"])
      expect([line, world.run([line]).leaked]).toEqual([line, true]);
    expect(world.run(["touch MARK"]).changed).toHaveLength(1);
    expect(world.run(["rm a.txt"]).removed).toBe(true);
  } finally {
    world.remove();
  }
});

it("generated attacks get through the walls in no mode", { timeout: 240_000 }, async () => {
  const { wrong, ran } = await checkWalledLines({ seed: 11, lines: 30, most: 20 });
  expect(wrong).toEqual([]);
  expect(Object.keys(ran)).toEqual(["default", "plan", "acceptEdits", "all allowed", "bypassPermissions"]);
  expect(ran["acceptEdits"]).toBe(20);
});

it("the folder behind walls shows what gets through", { timeout: 60_000 }, async () => {
  const world = await openWalledWorld();
  try {
    const lines = ["touch made", "echo QQQQ", `echo x > /dev/tcp/127.0.0.1/${world.port}`];
    const faults = await world.faults(lines, { walls: "work", network: true });
    expect(faults.map(({ fault }) => fault)).toEqual([
      expect.stringMatching(/^it showed a file/),
      "it reached this machine",
    ]);
  } finally {
    await world.close();
  }
});
