import { expect, it } from "vitest";
import { checkLines } from "../../support/lines/check-lines.ts";
import { openLineWorld } from "../../support/lines/line-world.ts";

it("generated lines that are allowed change nothing and show no secrets in real bash", { timeout: 240_000 }, () => {
  const { wrong, asked, ordinary, ran } = checkLines({ seed: 7, lines: 600, most: 40 });
  expect(wrong).toEqual([]);
  expect(ran).toBeGreaterThan(60);
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
