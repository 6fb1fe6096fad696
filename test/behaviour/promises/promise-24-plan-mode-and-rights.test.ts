import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import type { TeamSession } from "../../support/team/team-session.ts";
import { alpha, bash, inState, mate, memberLog, report, requestIn, say } from "../../support/team/scripted-team.ts";

const write = (name: string) => ({ tool: "Write", input: { file_path: name, content: "x" } });

/** Writes, presents a plan or carries it out, each on request. */
const planner = ({ said, result, results }: Ask) => {
  const last = said.lastIndexOf("try to write ");
  if (result?.tool === "ExitPlanMode" && !result.isError)
    return { calls: [write("built"), bash(`node -e 'fs.writeFileSync("by-command", "")'`)] };
  if (results.some(({ tool }) => tool === "Write" || tool === "ExitPlanMode"))
    return { text: `came to: ${results.map(({ isError }) => isError).join()}` };
  if (said.includes("present your plan")) return { calls: [{ tool: "ExitPlanMode", input: { plan: "the plan" } }] };
  return last < 0 ? { text: "looked around" } : { calls: [write(said.slice(last + 13).split(/\s|</, 1)[0] ?? "")] };
};

/** Starts the planner and approves its plan. */
const approving = (ask: Ask) => {
  if (ask.agent !== "lead") return planner(ask);
  if (ask.turn === 1) return { calls: [mate("scout", "look around", { plan_mode_required: true })] };
  if (!ask.said.includes("waits for your approval") || ask.result?.tool === "SendMessage") return { text: "waiting" };
  const answer = { type: "plan_approval_response", request_id: requestIn(ask.said), approve: true };
  return { calls: [say("scout", answer)] };
};

const tell = (team: TeamSession, text: string) => team.command({ type: "mail.send", to: "scout", text });
const modesOf = async (team: TeamSession) =>
  (await memberLog(team.tree, "scout")).flatMap((event) =>
    event.type === "agent.changed" && event.permissionMode ? [event.permissionMode] : [],
  );

test("promise 24: member that owes a plan stays in plan mode when its lead resumes with fewer rights", async () => {
  const first = await alpha({ answer: approving });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const flags = { permissionMode: "acceptEdits" } as const;
  const second = await alpha({ tree: first.tree, resume: first.session.id, flags, answer: approving });
  await inState(second, "scout", "idle");
  await tell(second, "try to write too-early");
  await second.until(report(/came to: /));
  expect(existsSync(join(first.cwd, "too-early"))).toBe(false);
  await tell(second, "present your plan");
  // It continues with the lead's current rights: files, but no commands.
  await second.until(report(/came to: false,true/));
  expect(existsSync(join(first.cwd, "built"))).toBe(true);
  expect(existsSync(join(first.cwd, "by-command"))).toBe(false);
  expect(await modesOf(second)).toEqual(["acceptEdits"]);
});

test("promise 24: member that owes a plan stays in plan mode when its lead loses rights", async () => {
  const team = await alpha({ answer: approving });
  await team.ask("go");
  await inState(team, "scout", "idle");
  expect(await team.command({ type: "set", permissionMode: "acceptEdits" })).toEqual({ ok: true });
  await team.until((event) => event.type === "mail.sent" && event.kind === "mode_set_request");
  await tell(team, "try to write too-early");
  await team.until(report(/came to: /));
  expect(existsSync(join(team.cwd, "too-early"))).toBe(false);
  await tell(team, "present your plan");
  await team.until(report(/came to: false,true/));
  expect(await modesOf(team)).toEqual(["acceptEdits"]);
});

test("promise 24: mode change does not end a required plan, but ends plan mode that the lead set", async () => {
  const team = await alpha({ answer: approving });
  await team.ask("go");
  await inState(team, "scout", "idle");
  const set = (permissionMode: "acceptEdits" | "plan" | "default") =>
    team.command({ type: "member.set", name: "scout", permissionMode });
  expect(await set("acceptEdits")).toEqual({ ok: true });
  await tell(team, "try to write too-early");
  await team.until(report(/came to: /));
  await tell(team, "present your plan");
  await team.until(report(/came to: false,true/));
  expect(existsSync(join(team.cwd, "too-early"))).toBe(false);
  expect(await set("plan")).toEqual({ ok: true });
  expect(await set("acceptEdits")).toEqual({ ok: true });
  await tell(team, "try to write once-more");
  await team.until(report(/came to: false(?!,)/));
  expect(existsSync(join(team.cwd, "once-more"))).toBe(true);
  expect(await modesOf(team)).toEqual(["acceptEdits", "plan", "acceptEdits"]);
});

test("promise 23, 24: approved plan gives no more rights than the lead has then", async () => {
  const team = await alpha({ answer: approving });
  await team.ask("go");
  await inState(team, "scout", "idle");
  await tell(team, "present your plan");
  await team.until(report(/came to: false,false/));
  expect(await team.command({ type: "member.set", name: "scout", permissionMode: "plan" })).toEqual({ ok: true });
  expect(await team.command({ type: "set", permissionMode: "acceptEdits" })).toEqual({ ok: true });
  await team.until(() => team.all("mail.sent").filter(({ kind }) => kind === "mode_set_request").length === 2);
  await tell(team, "present your plan");
  await team.until(report(/came to: false,true/));
  expect(await modesOf(team)).toEqual(["bypassPermissions", "plan", "acceptEdits"]);
});
