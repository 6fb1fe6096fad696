import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openTeam } from "../../../src/team/index.ts";
import { type TeamSession, teamSession } from "../../support/team/team-session.ts";

const spawn = { tool: "Agent", input: { description: "look", prompt: "look around", name: "scout" } };

async function launchOf({ tree }: TeamSession) {
  const home = tree.path("home/.troupe");
  const team = await openTeam("alpha", { home, clock: systemClock, createId: createIdFactory(systemClock) });
  const { members } = await team.record.read();
  await team.close();
  return members.find(({ name }) => name === "scout")?.launch;
}

test("budget from settings holds for members in other processes; a resume can change it", async () => {
  const first = await teamSession({
    stored: true,
    settings: { limits: { maxTokens: 5_000_000 } },
    flags: { team: "alpha" },
    answer: ({ agent, turn }) => (agent === "lead" && turn === 1 ? { calls: [spawn] } : { text: "done" }),
  });
  await first.ask("go");
  const launch = await launchOf(first);
  expect(launch).toMatchObject({ maxTokens: 5_000_000 });
  expect(launch?.ledger).toMatch(/spending\.jsonl$/);
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    flags: { maxTokens: 4_000_000 },
    resume: first.session.id,
    answer: () => ({ text: "done" }),
  });
  expect(await launchOf(again)).toEqual({ ...launch, maxTokens: 4_000_000 });
});
