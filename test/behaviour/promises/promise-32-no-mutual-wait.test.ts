import { expect, test } from "vitest";
import type { Answer, Ask } from "../../../src/testing.ts";
import { alpha, inState, leading, mate, memberLog, report, requestIn, say } from "../../support/team/scripted-team.ts";

const plan = { calls: [{ tool: "ExitPlanMode", input: { plan: "build it" } }] };

test("promise 32: plan approved in plain words is still open; the lead reads the exact call, and again when it is idle", async () => {
  let isTexted = false;
  let isAnswered = false;
  const lead = ({ turn, said }: Ask): Answer => {
    if (turn === 1) return { calls: [mate("planner", "plan it", { plan_mode_required: true })] };
    if (!isTexted && said.includes("waits for your approval")) {
      isTexted = true;
      return { calls: [say("planner", "Looks good, plan approved. Go ahead.")] };
    }
    if (isAnswered || !said.includes("still waits for your answer")) return { text: "planner begins" };
    isAnswered = true;
    const message = { type: "plan_approval_response", request_id: requestIn(said), approve: true };
    return { calls: [say("planner", { ...message, feedback: "test it too" })] };
  };
  const planner = ({ result }: Ask): Answer =>
    result?.tool === "ExitPlanMode" ? { text: `came to: ${result.text}` } : plan;
  const team = await alpha({ answer: (ask) => (ask.agent === "lead" ? lead(ask) : planner(ask)) });
  await team.ask("go");
  await team.until(report(/came to: /));
  const results = team.asked("lead").flatMap(({ results: all }) => all.map(({ text }) => text));
  expect(results.join()).toContain("It only reads until you approve its plan, which reaches you as a message.");
  const stored = results.find((text) => text.includes("Stored for planner")) ?? "";
  expect(stored).toMatch(/this text does not answer (?:the|its) plan/i);
  expect(isAnswered).toBe(true);
  const log = await memberLog(team.tree, "planner");
  const settled = log.flatMap((event) => (event.type === "tool.settled" ? [JSON.stringify(event.content)] : []));
  expect(settled.join()).toContain("The lead approved the plan, and plan mode is off");
  expect(settled.join()).toContain("The lead approved the plan and says: test it too");
  expect(log.filter(({ type }) => type === "permission.settled")).toMatchObject([{ behavior: "allow", by: "lead" }]);
  expect(JSON.stringify(log)).toContain("plan approved. Go ahead");
  expect(JSON.stringify(log)).not.toContain("does not answer the plan");
  expect(JSON.stringify(log)).toMatch(
    /Go ahead\..*A message that team-lead sent before your plan was approved is older than the approval\./,
  );
});

test("promise 32: after a refusal, the member reads that earlier words of the lead do not answer its plan", async () => {
  let isRefused = false;
  const lead = ({ turn, said, result }: Ask): Answer => {
    if (turn === 1) return { calls: [mate("planner", "plan it", { plan_mode_required: true })] };
    if (isRefused || !said.includes("waits for your approval")) return { text: "planner plans" };
    if (result?.tool !== "SendMessage") return { calls: [say("planner", "Plan approved. Go ahead.")] };
    isRefused = true;
    const message = { type: "plan_approval_response", request_id: requestIn(result.text), approve: false };
    return { calls: [say("planner", { ...message, feedback: "say how you check it" })] };
  };
  const planner = ({ turn }: Ask): Answer => (turn === 1 ? plan : { text: "I plan again" });
  const team = await alpha({ answer: (ask) => (ask.agent === "lead" ? lead(ask) : planner(ask)) });
  await team.ask("go");
  await team.until(report(/I plan again/));
  await expect
    .poll(() => JSON.stringify(team.all("prompt.admitted", "planner@alpha")))
    .toMatch(
      /Go ahead\..*A message that team-lead sent before your plan was answered does not answer the plan, whatever it says\./,
    );
});

test("promise 32: an interrupt ends the wait for a plan; lead and member both read what it means", async () => {
  const lead = ({ turn, said, result }: Ask): Answer => {
    if (turn === 1) return { calls: [mate("planner", "plan it", { plan_mode_required: true })] };
    if (result === undefined && said.includes("waits for your approval"))
      return { calls: [say("planner", "Plan approved. Go ahead.")] };
    return { text: "planner plans" };
  };
  const team = await alpha({ answer: (ask) => (ask.agent === "lead" ? lead(ask) : plan) });
  await team.ask("go");
  const admitted = (agent: string) => JSON.stringify(team.all("prompt.admitted", agent));
  await expect.poll(() => admitted("planner@alpha")).toContain("Go ahead.");
  expect(await team.command({ type: "member.interrupt", name: "planner" })).toEqual({ ok: true });
  await expect
    .poll(() => admitted("lead"))
    .toMatch(/planner no longer waits for an answer to its request ask_\w+: it was interrupted, or waited too long\./);
  await expect.poll(() => admitted("planner@alpha")).toContain("does not answer the plan, whatever it says.");
});

test("promise 32: the lead of a member that stops in plan mode without a plan reads what to do", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("planner", "plan it", { plan_mode_required: true })] },
        { text: "waiting" },
        { calls: [say("planner", { type: "plan_approval_response", request_id: "ask_1", approve: true })] },
        { calls: [say("planner", "Call ExitPlanMode.")] },
      ],
      ({ said }) => (said.includes("Call ExitPlanMode") ? plan : { text: "Plan: I wait for your approval." }),
    ),
  });
  await team.ask("go");
  const { event } = await team.until(report(/I wait for your approval/));
  expect(JSON.stringify(event)).toContain(
    "planner is idle.\\nIt is in plan mode and has not presented a plan that waits for an answer.",
  );
  await team.until(report(/has made a plan and waits for your approval/));
  const results = team.asked("lead").flatMap(({ results: all }) => all.map(({ text }) => text));
  expect(results.join()).toContain("planner has not presented a plan yet, so there is nothing to approve.");
});

test("promise 32: plan that nobody answers is a timeout, not a refusal, and says what to do", async () => {
  const team = await alpha({
    settings: { teams: { permissionTimeoutMs: 1_500 } },
    answer: leading([{ calls: [mate("planner", "plan it", { plan_mode_required: true })] }], ({ result }) =>
      result?.tool === "ExitPlanMode" ? { text: `came to: ${result.text}` } : plan,
    ),
  });
  await team.ask("go");
  await inState(team, "planner", "waiting");
  const { event } = await team.until(report(/came to: /));
  const text = JSON.stringify(event);
  expect(text).toMatch(/team-lead did not answer your plan within 2 s\. This was a timeout, not a refusal\./);
  expect(text).toContain("You are still in plan mode: call ExitPlanMode again");
  expect(text).not.toContain("another way");
});

test("promise 32: agreement to end in plain words is answered with the exact call, once", async () => {
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout")] }, { text: "waiting" }, { calls: [say("scout", { type: "shutdown_request" })] }],
      ({ said }) => {
        if (said.includes("only SendMessage counts"))
          return {
            calls: [say("team-lead", { type: "shutdown_response", request_id: requestIn(said), approve: true })],
          };
        return { text: said.includes("asks you to end") ? "I agree to end." : "all is reported" };
      },
    ),
  });
  await team.ask("go");
  await team.until(report(/scout has agreed to end and has ended/));
  const reminders = team.asked(/scout/).filter(({ said }) => said.includes("only SendMessage counts"));
  expect(reminders).toHaveLength(1);
});

test("promise 32: member that ends its turn in plan mode without a plan is sent back once", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("planner", "plan it", { plan_mode_required: true })] }], ({ said }) =>
      said.includes("only ExitPlanMode presents one") ? plan : { text: "Plan: build it." },
    ),
  });
  await team.ask("go");
  await team.until(report(/planner has made a plan and waits for your approval/));
  expect(
    team.all("prompt.admitted", "planner@alpha").filter((event) => JSON.stringify(event).includes("presented no plan")),
  ).toHaveLength(1);
});
