import { expect, test } from "vitest";
import type { Member } from "../../../src/protocol/index.ts";
import { endsKnownBefore } from "../../../src/team/lead/announce-ends.ts";

const member = (name: string, joinedAt: string, endedAt: string) =>
  ({ name, joinedAt, ended: { at: endedAt, reason: "shutdown" } }) as Member;
const opened = (at: string) => ({ at, event: { type: "session.opened" } }) as never;

test("ends from before the last run are known, those of the last run are not", () => {
  const early = member("early", "2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z");
  const late = member("late", "2026-01-01T00:00:10Z", "2026-01-01T00:01:20Z");
  const runs = [opened("2026-01-01T00:00:00Z"), opened("2026-01-01T00:01:00Z")];
  expect(endsKnownBefore([early, late], runs)).toEqual([early]);
});

test("an end after the time of day was set back is not known", () => {
  const carol = member("carol", "2026-01-02T00:00:10Z", "2026-01-01T00:00:40Z");
  expect(endsKnownBefore([carol], [opened("2026-01-02T00:00:00Z")])).toEqual([]);
});
