import { expect, test } from "vitest";
import { exitCodeOf } from "../../../src/headless/index.ts";
import { testRepository } from "../../support/git/test-repository.ts";
import { agrees, alpha, bash, hang, leading, mate, say } from "../../support/team/scripted-team.ts";
import { runTeam } from "../../support/team/headless-team.ts";

const impossible = { tool: "TaskCreate", input: { subject: "fly", description: "d", needs: ["Wings"] } };

test("promise 34: result of a run is the lead's answer after its last teammate has ended", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("alice")] },
        { text: "I wait for alice." },
        { calls: [say("alice", { type: "shutdown_request" })] },
        { text: "I wait for its end." },
        { text: "alice has written the notes and has ended." },
      ],
      (ask) => agrees(ask) ?? { text: "ready" },
    ),
  });
  const { result } = await runTeam(team, "go");
  expect(result).toMatchObject({ subtype: "success", result: "alice has written the notes and has ended." });
  expect(result.open_tasks).toBeUndefined();
  expect(exitCodeOf(result)).toBe(0);
});

test("promise 31, 34: what is left open is in the result and the exit code; an empty answer does not replace the real one", async () => {
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout"), impossible] }, { text: "waiting" }, { text: "All done but #1." }, { text: "" }],
      () => ({ text: "looked around" }),
    ),
  });
  const { result, lines, errors } = await runTeam(team, "go", "stream-json");
  expect(result.result).toBe("All done but #1.");
  expect(result.open_tasks).toEqual([{ id: 1, subject: "fly", status: "pending" }]);
  expect(exitCodeOf(result)).toBe(4);
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual(result);
  expect(errors).toContain("open tasks: #1 fly");
});

test("promise 31: branches that have not landed are in the result, also of a subagent and of a deleted team", async () => {
  const { repo } = testRepository();
  const helper = { tool: "Agent", input: { description: "d", prompt: "write b", isolation: "worktree" } };
  const team = await alpha({
    cwd: repo,
    flags: { permissionMode: "acceptEdits" },
    answer: leading(
      [
        { calls: [helper, mate("alice", "write a", { isolation: "worktree" })] },
        { text: "waiting" },
        { calls: [say("alice", { type: "shutdown_request" })] },
        { text: "waiting for its end" },
        { calls: [{ tool: "TeamDelete", input: {} }] },
        { text: "Two branches are left." },
      ],
      (ask) => agrees(ask) ?? (ask.turn === 1 ? { calls: [bash("echo hi > notes.md")] } : { text: "written" }),
    ),
  });
  const { result, errors } = await runTeam(team, "go");
  expect(team.all("team.left")).toHaveLength(1);
  expect(result.unlanded_branches).toEqual([
    expect.objectContaining({ branch: expect.stringMatching(/^troupe\/general-purpose-/), uncommitted_files: 1 }),
    expect.objectContaining({ branch: expect.stringMatching(/^troupe\/alice-/), commits: 1 }),
  ]);
  expect(errors).toMatch(/not landed: troupe\/general-purpose-\w{4}, troupe\/alice-\w{4}/);
  expect(exitCodeOf(result)).toBe(4);
});

test("promise 31: a run that ends at a limit names the members that still work", async () => {
  const team = await alpha({
    flags: { maxTurns: 1 },
    answer: leading([{ calls: [mate("alice")] }], () => hang),
  });
  const { result, errors } = await runTeam(team, "go");
  expect(result).toMatchObject({ subtype: "error_max_turns", running_members: ["alice"] });
  expect(errors).toContain("still working: alice");
});
