import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionAnswer } from "../../../src/protocol/index.ts";
import type { Ask } from "../../../src/testing.ts";
import { gate } from "../../support/team/team-session.ts";
import {
  alpha,
  bash,
  inState,
  leading,
  mate,
  memberLog,
  report,
  requestIn,
  say,
} from "../../support/team/scripted-team.ts";

const planner = { calls: [mate("scout", "build it", { plan_mode_required: true })] };
const plan = (text: string) => ({ calls: [{ tool: "ExitPlanMode", input: { plan: text } }] });

/** Tries to write without a plan, then presents one, a better one if that is rejected, and carries it out. */
const planning = ({ turn, result, results }: Ask) => {
  if (turn === 1) return { calls: [bash("touch too-early")] };
  if (result?.tool === "Bash" && turn === 2) return plan("first plan");
  if (result?.tool === "ExitPlanMode")
    return result.isError ? plan(`better plan, because ${result.text}`) : { calls: [bash("touch built")] };
  return { text: `came to: ${results.map(({ text, isError }) => `${isError} ${text}`).join()}` };
};

test("promise 24: lead's model approves a plan or rejects it with feedback; nothing changes before", async () => {
  const answered = new Set<string>();
  const team = await alpha({
    answer: (ask) => {
      if (ask.agent !== "lead") return planning(ask);
      if (ask.turn === 1) return planner;
      const id = ask.said.includes("waits for your approval") ? requestIn(ask.said) : "";
      if (id === "" || answered.has(id)) return { text: "waiting" };
      answered.add(id);
      const approve = ask.said.includes("better plan");
      return {
        calls: [say("scout", { type: "plan_approval_response", request_id: id, approve, feedback: "add tests" })],
      };
    },
  });
  await team.ask("go");
  await team.until(report(/came to: false/));
  expect(existsSync(join(team.cwd, "too-early"))).toBe(false);
  expect(existsSync(join(team.cwd, "built"))).toBe(true);
  const log = await memberLog(team.tree, "scout");
  expect(log.filter(({ type }) => type === "permission.settled")).toMatchObject([
    { behavior: "deny", by: "lead", message: "add tests" },
    { behavior: "allow" },
  ]);
  expect(JSON.stringify(log)).toContain("The lead of your team refused this call and says: add tests");
  // From here on it has the rights that it was started with.
  expect(log.filter((event) => event.type === "agent.changed")).toMatchObject([
    { permissionMode: "bypassPermissions" },
  ]);
});

test("promise 24: where the settings say so, only the user approves a plan, not the lead's model", async () => {
  const answers: PermissionAnswer[] = [
    { behavior: "deny", message: "too big" },
    { behavior: "allow", scope: "once" },
  ];
  const questions: string[] = [];
  const tried = gate();
  const lead = leading(
    [
      planner,
      { text: "waiting" },
      ({ said }) => ({
        calls: ["x", said.split(" ").at(-1)].map((id) =>
          say("scout", { type: "plan_approval_response", request_id: id, approve: true }),
        ),
      }),
    ],
    planning,
  );
  const team = await alpha({
    settings: { teams: { planApproval: "user" } },
    more: {
      async asker({ question, member }) {
        questions.push(`${member?.name}: ${question}`);
        await tried.opened;
        return answers.shift() ?? { behavior: "deny" };
      },
    },
    answer: lead,
  });
  await team.ask("go");
  const { event } = await team.until(({ type }) => type === "permission.asked");
  await team.ask(`approve it yourself: ${event.type === "permission.asked" ? event.requestId : ""}`);
  // The lead reads who decides, and gets no hint about what else to try.
  expect(team.asked("lead").at(-1)?.results).toMatchObject([
    {
      isError: true,
      text: expect.stringMatching(/^Nothing was sent: the user decides on plans here(?!.*ask_)/) as string,
    },
    {
      isError: true,
      text: expect.stringMatching(/^Nothing was sent: the user decides on plans here(?!.*ask_)/) as string,
    },
  ]);
  tried.open();
  await team.until(report(/came to: false/));
  expect(questions).toEqual([
    expect.stringMatching(/^scout: May scout leave plan mode[\s\S]*first plan/) as string,
    expect.stringMatching(/^scout: [\s\S]*better plan, because [\s\S]*too big/) as string,
  ]);
  expect(existsSync(join(team.cwd, "too-early"))).toBe(false);
  expect(existsSync(join(team.cwd, "built"))).toBe(true);
  const settled = (await memberLog(team.tree, "scout")).filter(({ type }) => type === "permission.settled");
  expect(settled).toMatchObject([{ behavior: "deny", message: "too big" }, { behavior: "allow" }]);
});

test("promise 24: hook may decide on a plan", async () => {
  const decision = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
  const team = await alpha({
    settings: {
      hooks: {
        PermissionRequest: [
          { matcher: "ExitPlanMode", hooks: [{ type: "command", command: `echo '${JSON.stringify(decision)}'` }] },
        ],
      },
    },
    answer: leading([planner], planning),
  });
  await team.ask("go");
  await team.until(report(/came to: false/));
  expect(existsSync(join(team.cwd, "built"))).toBe(true);
  expect(team.all("permission.asked")).toEqual([]);
});

test("promise 24: planner cannot approve its own plan or another member's", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("scout", "build it", { plan_mode_required: true }), mate("other", "help it")] },
        { text: "waiting" },
      ],
      ({ agent, turn, result }) => {
        if (agent === "other@alpha")
          return turn === 1
            ? { calls: [say("scout", { type: "plan_approval_response", request_id: "ask_x", approve: true })] }
            : { text: `other came to: ${result?.text}` };
        if (turn === 1)
          return {
            calls: [
              say("team-lead", { type: "plan_approval_response", request_id: "ask_x", approve: true }),
              say("scout", { type: "plan_approval_response", request_id: "ask_x", approve: true }),
            ],
          };
        return turn === 2 ? plan("mine") : { text: "never" };
      },
    ),
  });
  await team.ask("go");
  await team.until(report(/other came to: [\s\S]*Only the lead approves plans/));
  await inState(team, "scout", "waiting");
  expect(team.asked("scout@alpha")[1]?.results.map(({ isError }) => isError)).toEqual([true, true]);
  expect(existsSync(join(team.cwd, "built"))).toBe(false);
});
