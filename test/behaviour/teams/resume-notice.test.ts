import { expect, test } from "vitest";
import { alpha, hang, inState, leading, mate, membersOf } from "../../support/team/scripted-team.ts";
import { teamSession, type TeamSession } from "../../support/team/team-session.ts";

const task = (subject: string, owner: string) => ({
  tool: "TaskCreate",
  input: { subject, description: subject, owner },
});

const systemOf = (team: TeamSession, path: string) => team.asked(path).at(-1)?.system;

test("lead and teammate read once, after a resume, when the session was closed, who is there and what is open", async () => {
  const first = await alpha({
    answer: leading(
      [
        {
          calls: [
            task("build", "team-lead"),
            mate("scout"),
            { tool: "Bash", input: { command: "sleep 60", run_in_background: true } },
          ],
        },
      ],
      () => ({ text: "done" }),
    ),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: leading([{ calls: [{ tool: "SendMessage", input: { to: "scout", message: "still there?" } }] }], () => ({
      text: "yes",
    })),
  });
  await again.ask("continue");
  const said = again.asked("lead")[0]?.said ?? "";
  expect(said).toMatch(
    /<troupe-notice>\nThis session was closed at \d{4}-[\d:.TZ-]+ and continues now\. Time has passed: check what may have changed\.\n/,
  );
  expect(said).toContain("You lead team alpha. Its members:\n- scout (general-purpose): ");
  expect(said).toContain("Open tasks:\n#1 [pending] build (team-lead)");
  expect(said).toContain("continue");
  expect(systemOf(again, "lead")).toBe(systemOf(first, "lead"));
  await expect.poll(() => again.asked("scout@alpha")).toHaveLength(1);
  const toScout = again.asked("scout@alpha")[0]?.said ?? "";
  expect(toScout).toMatch(
    /This session was closed at .* and continues now[\s\S]*You are scout in team alpha[\s\S]*still there\?/,
  );
  await again.ask("more");
  expect(JSON.stringify(again.asked("lead").at(-1)?.request.messages).match(/continues now/g)).toHaveLength(1);
});

test("lead of an empty team reads nothing after a resume", async () => {
  const first = await alpha({ answer: () => ({ text: "hello" }) });
  await first.ask("go");
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: () => ({ text: "hello again" }),
  });
  await again.ask("continue");
  expect(again.asked("lead")[0]?.said).toBe("continue");
});

test("teammate that claimed its task itself reads only the resume notice about it after a resume", async () => {
  const build = { tool: "TaskCreate", input: { subject: "build", description: "build it" } };
  const claim = { tool: "TaskUpdate", input: { taskId: "1", status: "in_progress" } };
  const first = await alpha({
    answer: leading([{ calls: [build] }, { calls: [mate("scout")] }], ({ result }) =>
      result?.tool === "TaskUpdate" ? hang : { calls: [claim] },
    ),
  });
  await first.ask("go");
  await first.until(() => first.asked("scout@alpha").length > 1);
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: () => ({ text: "yes" }),
  });
  await again.ask("continue");
  await expect.poll(() => again.asked("scout@alpha")).not.toHaveLength(0);
  await inState(again, "scout", "idle");
  const read = JSON.stringify(again.asked("scout@alpha").at(-1)?.request.messages);
  expect(read).toContain("#1 [in_progress] build (scout)");
  expect(read).not.toContain("You were idle");
});

test("teammate follows its lead that is resumed in a wider mode, and both read it", async () => {
  const first = await alpha({
    flags: { permissionMode: "default" },
    answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    flags: { permissionMode: "acceptEdits" },
    answer: leading([{ calls: [{ tool: "SendMessage", input: { to: "scout", message: "edit it" } }] }], () => ({
      text: "yes",
    })),
  });
  await again.ask("continue");
  await expect.poll(() => again.asked("scout@alpha")).toHaveLength(1);
  expect(again.asked("lead")[0]?.said).toContain("scout works in acceptEdits now, as you do.");
  expect(again.asked("scout@alpha")[0]?.said).toContain("Your permission mode is acceptEdits now");
});

test("teammate in mode plan has the mode of its lead after its plan, as with plan_mode_required", async () => {
  const team = await alpha({
    flags: { permissionMode: "acceptEdits" },
    answer: leading([{ calls: [mate("scout", "plan it", { mode: "plan" })] }], ({ result }) =>
      result?.tool === "ExitPlanMode"
        ? { text: "done" }
        : { calls: [{ tool: "ExitPlanMode", input: { plan: "do it" } }] },
    ),
  });
  await team.ask("go");
  const members = await membersOf(team.tree);
  expect(members.find(({ name }) => name === "scout")).toMatchObject({ mode: "acceptEdits", planModeRequired: true });
});
