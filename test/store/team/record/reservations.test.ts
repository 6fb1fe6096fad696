import { expect, test } from "vitest";
import type { Member, Reservation, Team } from "../../../../src/protocol/index.ts";
import { reservationsOf } from "../../../../src/store/index.ts";
import { reservationPath } from "../../../../src/mcp-server/reservation-tools.ts";

const root = "/work/project";
const at = "2026-01-01T00:00:00.000Z";

const teamWith = (path: string): Team => {
  const member = (name: string): Member => ({
    name,
    agentId: `${name}@crew`,
    joinedAt: at,
    tmuxPaneId: "",
    cwd: root,
    subscriptions: [],
    backendType: "remote",
  });
  const reservation: Reservation = { path, by: "bot", mode: "exclusive", at, until: "2026-01-02T00:00:00.000Z" };
  return {
    name: "crew",
    createdAt: at,
    leadAgentId: "team-lead@crew",
    hiddenPaneIds: [],
    teamAllowedPaths: [],
    members: [member("team-lead"), member("bot")],
    reservations: [reservation],
  };
};

test.each([
  ["src/", "src/a.ts", true],
  ["src/a.ts", "src/", true],
  ["src/", "srcs/a.ts", false],
  ["src/a.ts", "src/a.tsx", false],
  ["./", "src/a.ts", true],
  [".", "src/a.ts", true],
  [`${root}/`, "src/a.ts", true],
  [root, "src/a.ts", true],
  ["./", "../other/b.ts", false],
  ["/work/other/", "../other/b.ts", true],
  ["../other/b.ts", "/work/other/b.ts", true],
  ["../", "src/a.ts", true],
  ["/", "src/a.ts", true],
])("reserved %s, changed %s: the same? %s", (reserved, path, isHeld) => {
  const held = reservationsOf(teamWith(reservationPath(reserved, root) ?? ""), {
    path,
    at: "2026-01-01T12:00:00.000Z",
  });
  expect(held.length > 0).toBe(isHeld);
});
