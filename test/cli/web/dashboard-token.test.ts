import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dashboardToken } from "../../../src/cli/web/dashboard-token.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const hour = 60 * 60_000;

test("token is for one port, lasts a day, and only the user can read its file", async () => {
  const home = join(tempTree({}).root, "home");
  const token = await dashboardToken(home, { port: 5000, now: 0 });
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(join(home, "web", "5000.json")).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, "web")).mode & 0o777).toBe(0o700);
  expect(await dashboardToken(home, { port: 5000, now: 23 * hour })).toBe(token);
  expect(await dashboardToken(home, { port: 5001, now: 0 })).not.toBe(token);
  const next = await dashboardToken(home, { port: 5000, now: 25 * hour });
  expect(next).not.toBe(token);
  expect(await dashboardToken(home, { port: 5000, now: 26 * hour })).toBe(next);
});

test("an invalid token file is an error, not a missing token", async () => {
  const home = join(tempTree({}).root, "home");
  await dashboardToken(home, { port: 5000, now: 0 });
  const file = join(home, "web", "5000.json");
  for (const content of ["", "{}", '{"token":"short","madeAt":"2026-01-01T00:00:00.000Z"}']) {
    writeFileSync(file, content);
    await expect(dashboardToken(home, { port: 5000, now: 0 })).rejects.toThrow(file);
  }
});
