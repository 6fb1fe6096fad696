import { expect, test } from "vitest";
import type { Agent } from "../../../src/agent/index.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { StoredEnvelope } from "../../../src/protocol/index.ts";
import { tellResumed } from "../../../src/session/teams/ongoing-team-work.ts";

const at = "2026-11-16T10:00:00.000Z";
const opened = { type: "session.opened" };
const turn = { type: "turn.started", turn: 1 };
const idle = { type: "agent.idle", reason: "completed" };
const closed = { type: "session.closed", reason: "completed" };
const job = { type: "background.started", backgroundId: "bg_1", kind: "shell", description: "npm run dev" };

/** The notice after a run with these events. */
async function noticeAfter(events: readonly object[], hasMembers = false): Promise<string | undefined> {
  let text: string | undefined;
  const agent = {
    admitOnce: async ({ parts, quiet }: { parts: readonly { text: string }[]; quiet: boolean }) => {
      expect(quiet).toBe(true);
      text = parts[0]?.text;
    },
  } as unknown as Agent;
  const replayed = events.map((event) => ({ at, event })) as unknown as readonly StoredEnvelope[];
  const teams = [{ heading: "You lead team alpha. It has no members.", members: [], tasks: [] }];
  await tellResumed(teams, { agent, replayed, createId: createIdFactory(systemClock), hasMembers });
  return text;
}

test("run that was cut off is named with its turn and its commands", async () => {
  expect(await noticeAfter([opened, turn, idle, job, turn])).toBe(
    [
      "<troupe-notice>",
      `This session was interrupted at ${at} and continues now. Time has passed: check what may have changed.`,
      "Your turn was interrupted. What you have not seen the result of may or may not be done.",
      "These commands ran in the background and do not run any more:",
      "- npm run dev",
      "You lead team alpha. It has no members.",
      "</troupe-notice>",
    ].join("\n"),
  );
});

test("new session, and a closed one with an empty team, get no notice", async () => {
  expect(await noticeAfter([])).toBeUndefined();
  expect(await noticeAfter([opened, turn, idle, closed])).toBeUndefined();
  expect(await noticeAfter([opened, turn, idle, closed], true)).toContain(`was closed at ${at}`);
});
