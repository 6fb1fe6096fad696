import { expect, test } from "vitest";
import { testRepository } from "../../support/git/test-repository.ts";
import { gate } from "../../support/team/team-session.ts";
import { agrees, alpha, bash, hang, leading, mate, report, say } from "../../support/team/scripted-team.ts";

const end = (name: string) => say(name, { type: "shutdown_request" });

test("promise 33: the lead gets its turn after its last teammate has ended, before the session is idle", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("alice")] },
        { text: "I wait for alice." },
        { calls: [end("alice")] },
        { text: "I wait for its end." },
        { text: "All done, alice has ended." },
      ],
      (ask) => agrees(ask) ?? { text: "ready" },
    ),
  });
  await team.ask("go");
  await team.until(report(/alice has agreed to end and has ended/));
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.session.settled();
  await team.seen();
  expect(JSON.stringify(team.all("turn.ended", "lead").at(-1))).toContain("All done, alice has ended.");
});

test("promise 33: ends of several members come with one wake, one message each", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("alice"), mate("bob")] },
        { text: "waiting" },
        { calls: [end("alice"), end("bob")] },
        { text: "waiting for both" },
        { text: "both have ended" },
      ],
      (ask) => agrees(ask) ?? { text: "ready" },
    ),
  });
  await team.ask("go");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event).includes("both have ended"));
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  await team.session.settled();
  expect(team.asked("lead")).toHaveLength(5);
  const { said = "" } = team.asked("lead").at(-1) ?? {};
  for (const name of ["alice", "bob"]) expect(said.match(new RegExp(`${name} has agreed to end`, "g"))).toHaveLength(1);
});

test("promise 33: report with news reaches the lead while another teammate works", async () => {
  const leadIsIdle = gate();
  const team = await alpha({
    settings: { teams: { gatherMs: 1_000 } },
    answer: leading(
      [{ calls: [mate("alice"), mate("bob")] }, { text: "waiting" }, { text: "heard alice" }],
      async ({ agent, turn }) => {
        if (agent === "bob@alpha") return hang;
        await leadIsIdle.opened;
        return turn === 1 ? { calls: [bash("echo made it")] } : { text: "alice is ready" };
      },
    ),
  });
  await team.ask("go");
  leadIsIdle.open();
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event).includes("heard alice"));
  const { said = "" } = team.asked("lead").at(-1) ?? {};
  expect(said).toContain("alice is ready");
  expect(said).toContain("What is above is new. Not done yet: bob (works).");
});

test("promise 33: the end of a teammate says what is left in its worktree", async () => {
  const { repo, git } = testRepository();
  const team = await alpha({
    cwd: repo,
    answer: leading(
      [
        { calls: [mate("alice", "write notes", { isolation: "worktree" })] },
        { text: "waiting" },
        { calls: [end("alice")] },
        { text: "waiting for its end" },
        { text: "heard" },
      ],
      (ask) => agrees(ask) ?? (ask.turn === 1 ? { calls: [bash("echo hi > notes.md")] } : { text: "written" }),
    ),
  });
  await team.ask("go");
  const { event } = await team.until(report(/alice has agreed to end and has ended/));
  expect(JSON.stringify(event)).toMatch(/Its worktree .* on branch troupe\/.* is kept, with 1 commit not landed/);
  expect(git("status", "--porcelain")).toBe("");
});
