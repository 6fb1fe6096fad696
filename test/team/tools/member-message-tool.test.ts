import { describe, expect, test } from "vitest";
import { type AgentId, type MailId, type RequestId, teamLead } from "../../../src/protocol/index.ts";
import type { OpenRequest } from "../../../src/team/index.ts";
import { toolSpecs } from "../../../src/tool/index.ts";
import { mailBench } from "../../support/tools/mail-bench.ts";

const open = (id: string, from: string): OpenRequest => ({ requestId: id as RequestId, from });
const text = (words: string) => ({ kind: "text", text: words });

describe("3.7 text", () => {
  test("is sent to a member by name or agent id, and is stored before the tool returns", async () => {
    const it = await mailBench({ states: { bob: "idle" } });
    const said = await it.say("alice", { to: "bob", message: "the tests are green", summary: "green" });
    expect(said.text).toMatch(/^Stored for bob \(mail_\w+\)\. bob is idle and wakes for it\.$/);
    await it.say("alice", { to: "bob@parser", message: "second", urgent: true });
    expect(await it.inbox("bob")).toMatchObject([
      { from: "alice", body: text("the tests are green"), summary: "green" },
      { from: "alice", body: text("second"), urgent: true },
    ]);
  });

  test.each([
    ["starting", {}, /has not started yet\. It reads the message first\./],
    ["working", {}, /is working and reads it after its current call\./],
    ["working", { urgent: true }, /is interrupted and reads it now/],
    ["waiting", {}, /waits for an answer and reads it after that\./],
    ["draining", {}, /is about to end and may not read it\./],
  ] as const)("to one who is %s (%j) it says when it is read", async (state, more, words) => {
    const it = await mailBench({ states: { bob: state } });
    expect((await it.say("alice", { to: "bob", message: "hear", ...more })).text).toMatch(words);
  });

  test("the sender can query the state of its mail, even when the receiver has left", async () => {
    const it = await mailBench();
    const id = /mail_\w+/.exec((await it.say("alice", { to: "bob", message: "hear" })).text)?.[0] ?? "";
    const ask = async (message_id: string, to = "bob") =>
      it.say("alice", { to, message: { type: "receipt_request", message_id } });
    expect(await ask(id)).toEqual({ ok: true, text: `${id} to bob: queued (stored, not received yet).` });
    await it.mailbox.markRead("bob", [id as MailId]);
    expect((await ask(id)).text).toBe(`${id} to bob: read (in its conversation).`);
    const late = /mail_\w+/.exec((await it.say("alice", { to: "bob", message: "too late" })).text)?.[0] ?? "";
    await it.record.end("bob", { reason: "killed" });
    expect((await ask(late)).text).toContain(`${late} to bob: failed`);
    expect((await ask(id)).text).toContain("read");
    expect(await ask("mail_nobody")).toMatchObject({ ok: false, text: expect.stringContaining("no mail mail_nobody") });
    expect(await ask(id, "missing")).toMatchObject({ ok: false });
  });

  test("mail to a member that never ran is kept", async () => {
    const it = await mailBench();
    expect((await it.say("alice", { to: "bob", message: "hear" })).text).toMatch(
      /has not started yet\. It reads the message first\./,
    );
    expect(await it.inbox("bob")).toHaveLength(1);
  });

  test.each([
    ["Bob", "bob"],
    ["BOB@Parser", "bob"],
    ["Team-Lead", teamLead],
    ["Lead", teamLead],
  ])("%s means %s: the case of a name does not matter", async (to, name) => {
    const it = await mailBench();
    expect((await it.say("alice", { to, message: "hear" })).text).toContain(`Stored for ${name}`);
    expect(await it.inbox(name)).toMatchObject([{ from: "alice", body: text("hear") }]);
  });

  test("an unknown name is refused with the nearest and all names; nothing is sent", async () => {
    const it = await mailBench();
    expect(await it.say("alice", { to: "bop", message: "hear" })).toEqual({
      ok: false,
      text: `There is no member or agent "bop". Nothing was sent. Did you mean bob? In the team: team-lead, bob.`,
    });
  });

  test("an unknown name that a teammate could have: the lead reads how to start it", async () => {
    const it = await mailBench();
    const said = async (to: string) => (await it.say(teamLead, { to, message: "hear" })).text;
    expect(await said("tester")).toMatch(
      /In the team: alice, bob\. To start it as a teammate: Agent with name "tester"\.$/,
    );
    expect(await said("no name")).toMatch(/In the team: alice, bob\.$/);
  });

  test.each(["Thanks, please shut down now.", "You can end now, bob."])(
    "words of the lead that ask a member to end name the call that does: %s",
    async (message) => {
      const it = await mailBench({ states: { bob: "idle" } });
      const call = `If bob is to end: SendMessage with to "bob" and message {"type":"shutdown_request"}.`;
      expect((await it.say(teamLead, { to: "bob", message })).text).toContain(call);
      expect((await it.say("alice", { to: "bob", message })).text).not.toContain("shutdown_request");
      expect((await it.say(teamLead, { to: "bob", message: "Fix the end of the file." })).text).not.toContain(call);
    },
  );

  test("a member that left, oneself and the user are refused, each with what to do", async () => {
    const it = await mailBench();
    const to = async (who: string, name: string) => (await it.say(who, { to: name, message: "hear" })).text;
    expect(await to("alice", "carol")).toBe(
      "carol has left the team (shutdown) and no longer reads mail. There are: team-lead, bob.",
    );
    expect(await to("alice", "alice")).toMatch(/That is you\./);
    expect(await to("alice", "user")).toMatch(/Tell the lead/);
    expect(await to(teamLead, "user")).toMatch(/reads your answers/);
  });

  test("* sends one mail to each other present member", async () => {
    const it = await mailBench();
    const said = await it.say("alice", { to: "*", message: "the format has changed" });
    expect(said.text).toMatch(/^Stored for 2 of 2: team-lead, bob\.$/);
    expect(await it.inbox("bob")).toMatchObject([{ from: "alice", body: text("the format has changed") }]);
    expect(await it.inbox("alice")).toEqual([]);
  });

  test("words to the lead while its request to end is open name the call that answers it", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    const call = `To agree: SendMessage with to "team-lead" and message {"type":"shutdown_response","request_id":"ask_00000001","approve":true}.`;
    const message = "I approve the shutdown request ask_00000001.";
    expect((await it.say("alice", { to: teamLead, message })).text).toContain(call);
    expect((await it.say("alice", { to: "bob", message })).text).not.toContain("To agree");
    expect(it.control).toEqual([]);
  });

  test("words to the lead while its request to end is open do not wake it", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    await it.say("alice", { to: teamLead, message: "I agree to end." });
    await it.say("alice", { to: "bob", message: "I end soon." });
    expect(await it.mailbox.readUnread(teamLead)).toMatchObject([{ wakes: false, body: text("I agree to end.") }]);
    expect(await it.mailbox.readUnread("bob")).toMatchObject([{ wakes: true }]);
  });

  test.each(["shutdown_request", ` "shutdown_request"\n`])(
    "the bare type %j counts as the request",
    async (message) => {
      const it = await mailBench();
      expect((await it.say(teamLead, { to: "bob", message })).text).toMatch(/^bob is asked to end/);
      expect(await it.say("alice", { to: "bob", message })).toMatchObject({
        ok: false,
        text: expect.stringContaining("Only the lead asks members to end."),
      });
      expect(await it.inbox("bob")).toEqual([]);
    },
  );

  test("the bare type of an answer is refused with what is missing", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    expect(await it.say("alice", { to: teamLead, message: "shutdown_response" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("message.approve: missing"),
    });
    expect(await it.inbox(teamLead)).toEqual([]);
  });

  test("damaged control message stays text, and the sender learns that", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    const forged = `{"type":"shutdown_response","request_id":"ask_00000001","approve":true`;
    const said = await it.say("alice", { to: teamLead, message: forged });
    expect(said.text).toMatch(
      /Note: this was sent as text and answers no request\. To answer a request, give message as an object, not as a string\./,
    );
    expect(await it.inbox(teamLead)).toMatchObject([{ body: text(forged) }]);
    expect(it.control).toEqual([]);
  });

  test("a mail that the mailbox refuses is a failed result with its reason", async () => {
    const it = await mailBench({ pairsPerMinute: 1 });
    expect((await it.say("alice", { to: "bob", message: "one" })).ok).toBe(true);
    const second = await it.say("alice", { to: "bob", message: "two" });
    expect(second.ok).toBe(false);
    expect(second.text).toMatch(/minute/);
    expect((await it.say("alice", { to: "*", message: "three" })).text).toMatch(
      /Stored for 1 of 2: team-lead\.\n- bob: not sent: /,
    );
  });

  test("lead means the team's lead, words for everybody name *, and mail to oneself is refused", async () => {
    const it = await mailBench();
    expect((await it.say("alice", { to: "lead", message: "hear" })).text).toMatch(/^Stored for team-lead /);
    expect((await it.say(teamLead, { to: "lead", message: "hear" })).text).toMatch(/^That is you\./);
    for (const to of ["everyone", "all"])
      expect((await it.say("alice", { to, message: "hear" })).text).toBe(
        `Nothing was sent. To reach all members, use "*".`,
      );
  });

  test("text to a member whose plan waits does not answer the plan, and names the call that does", async () => {
    const it = await mailBench({ plans: [open("ask_0000000p", "bob")], states: { bob: "waiting" } });
    const said = await it.say(teamLead, { to: "bob", message: "Looks good, plan approved." });
    expect(said.text).toMatch(/^Stored for bob \(mail_\w+\)\. .*This text does not answer the plan/);
    expect(said.text).toContain(
      `SendMessage with to "bob" and message {"type":"plan_approval_response","request_id":"ask_0000000p","approve":true}`,
    );
    expect(it.control).toEqual([]);
  });

  test("mail from or to a member in plan mode without a plan is neither a plan nor an approval, and says so", async () => {
    const it = await mailBench({ planning: ["bob"], states: { bob: "idle" } });
    expect((await it.say(teamLead, { to: "bob", message: "Plan approved! Go ahead." })).text).toMatch(
      /^Stored for bob .*\nbob is in plan mode and has presented no plan: words do not end plan mode\. Ask it to call ExitPlanMode\.$/,
    );
    expect((await it.say("bob", { to: teamLead, message: "My plan: build it." })).text).toMatch(
      /^Stored for team-lead .*\nYou are in plan mode: a message presents no plan\. When your plan is ready, call ExitPlanMode with it\.$/,
    );
    for (const [from, to] of [
      ["bob", "alice"],
      ["alice", "bob"],
    ] as const)
      expect((await it.say(from, { to, message: "hi" })).text).not.toContain("plan");
  });

  test("a fork cannot send for its parent", async () => {
    const it = await mailBench();
    const said = await it.say("alice", { to: "bob", message: "hear" }, "agt_00000009" as AgentId);
    expect(said).toEqual({
      ok: false,
      text: "You cannot speak for your parent in its team. Put what you have to say into your answer.",
    });
    expect(await it.inbox("bob")).toEqual([]);
  });
});

describe("3.7 requests and answers", () => {
  test("the lead reads which work of a working member has not landed when it asks it to end", async () => {
    const work = { path: "/w", branch: "troupe/bob", commits: 1, uncommittedFiles: 1, uncommitted: ["a.ts"] };
    const it = await mailBench({ unfinished: { bob: work } });
    const message = { type: "shutdown_request" };
    expect((await it.say(teamLead, { to: "bob", message })).text).toMatch(
      /after it has ended\. Note: bob is working, and not all of its work is on your branch: 1 commit not landed, 1 uncommitted file \(a\.ts\)\. Land what is committed: Land \(branches: \["troupe\/bob"\]\)\.$/,
    );
    expect((await it.say(teamLead, { to: "alice", message })).text).toMatch(
      /Until then it still runs: give the user the whole answer after it has ended\.$/,
    );
  });

  test("the lead asks a member to shut down; no other member can", async () => {
    const it = await mailBench();
    const message = { type: "shutdown_request", reason: "all done" };
    expect((await it.say(teamLead, { to: "bob", message })).text).toMatch(/bob is asked to end \(ask_00000001\)/);
    expect(it.control).toEqual([{ ask: "bob", reason: "all done" }]);
    expect((await it.say("alice", { to: "bob", message })).text).toMatch(/Only the lead asks members to end/);
    expect((await it.say(teamLead, { to: "carol", message })).text).toMatch(/carol has left/);
    expect(it.control).toHaveLength(1);
  });

  test("the lead asks all members to shut down with one call, and reads whose work has not landed", async () => {
    const work = { path: "/w", branch: "troupe/bob", uncommittedFiles: 0, uncommitted: [], commits: 1 };
    const it = await mailBench({ unfinished: { bob: work } });
    const said = await it.say(teamLead, { to: "*", message: { type: "shutdown_request" } });
    expect(said.text).toMatch(/^Asked to end: alice, bob\. Each answers[\s\S]*Note: bob is working/);
    expect(it.control).toMatchObject([{ ask: "alice" }, { ask: "bob" }]);
    const plan = { type: "plan_approval_response", request_id: "ask_00000001", approve: true };
    expect((await it.say(teamLead, { to: "*", message: plan })).text).toMatch(/^This message goes to one member\./);
  });

  const answer = (more: object) => ({ type: "shutdown_response", request_id: "ask_00000001", approve: true, ...more });

  test("approved is taken for approve", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    const message = { type: "shutdown_response", request_id: "ask_00000001", approved: true };
    expect((await it.say("alice", { to: teamLead, message })).text).toMatch(/^You have agreed to end\./);
  });

  test("an answer to a shutdown request must match the open one", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    const say = async (message: object, to: string = teamLead) => (await it.say("alice", { to, message })).text;
    expect(await say(answer({ request_id: "ask_00000002" }))).toBe(
      [
        `There is no open request to end with the id "ask_00000002". Nothing was sent. These wait for your answer. To approve:`,
        `- the request of team-lead to end: SendMessage with to "team-lead" and message {"type":"shutdown_response","request_id":"ask_00000001","approve":true}`,
        `To refuse: the same with "approve":false and "reason".`,
      ].join("\n"),
    );
    expect(await say(answer({}), "bob")).toMatch(/team-lead sent this request: send the answer to team-lead\./);
    expect(await say(answer({ approve: false, reason: " " }))).toMatch(/Say in reason why/);
    expect(it.control).toEqual([]);
    expect(await say(answer({ approve: false, reason: "tests run" }))).toMatch(
      /now knows that you do not want to end yet, and why\./,
    );
    expect(await say(answer({}))).toMatch(/You have agreed to end/);
    expect(it.control).toEqual([
      { shutdown: { requestId: "ask_00000001", approve: false, reason: "tests run" } },
      { shutdown: { requestId: "ask_00000001", approve: true, reason: undefined } },
    ]);
  });

  test("an answer without an id means the only open request", async () => {
    const message = { type: "shutdown_response", approve: "true" };
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    expect((await it.say("alice", { to: teamLead, message })).text).toMatch(/You have agreed to end/);
    expect(it.control).toMatchObject([{ shutdown: { requestId: "ask_00000001", approve: true } }]);
    const asked = await mailBench();
    for (const request_id of [undefined, "ask_made_up"])
      expect(await asked.say("alice", { to: teamLead, message: { ...message, request_id } })).toEqual({
        ok: false,
        text: "No request to end is open, and nothing was sent. If team-lead asked in words only, end your turn: it must send a shutdown_request.",
      });
  });

  test("a wrong field is named, and so is the missing one", async () => {
    const it = await mailBench({ shutdowns: [open("ask_00000001", teamLead)] });
    const message = { type: "shutdown_response", request_id: "ask_00000001", agreed: true };
    const { ok, text: problem } = await it.say("alice", { to: teamLead, message });
    expect(ok).toBe(false);
    expect(problem).toContain("message.approve: missing");
    expect(problem).toContain("message.agreed: no such field (type, request_id, approve, reason)");
    const odd = await it.say("alice", { to: teamLead, message: { type: "shutdown_response", approve: "maybe" } });
    expect(odd.text).toContain("message.approve: expected boolean, received string");
  });

  test("a request or an answer as JSON text counts as the object", async () => {
    const it = await mailBench({
      shutdowns: [open("ask_00000001", teamLead)],
      plans: [open("ask_0000000p", "bob")],
    });
    const say = async (who: string, to: string, message: object) =>
      (await it.say(who, { to, message: JSON.stringify(message, undefined, 1) })).text;
    const plan = { type: "plan_approval_response", request_id: "ask_0000000p", approve: true };
    expect(await say(teamLead, "bob", plan)).toMatch(/is approved, and bob begins/);
    expect(await say("alice", teamLead, answer({}))).toMatch(/You have agreed to end/);
    expect(await say(teamLead, "bob", { type: "shutdown_request" })).toMatch(/bob is asked to end/);
    expect(it.control).toMatchObject([
      { plan: { requestId: "ask_0000000p", approve: true } },
      { shutdown: { approve: true } },
      { ask: "bob" },
    ]);
    expect(await say("alice", teamLead, answer({ approve: "yes" }))).toMatch(/^Nothing was sent\. message\.approve: /);
    expect(await say("alice", "bob", plan)).toMatch(/Only the lead approves plans/);
    expect(it.control).toHaveLength(3);
    expect(await say(teamLead, "*", { type: "shutdown_request" })).toMatch(/^Asked to end: alice, bob\./);
    expect(await say("alice", "bob", { type: "note", text: "JSON of another type" })).toMatch(/^Stored for bob/);
    expect(await it.inbox("bob")).toHaveLength(1);
  });

  test("answer to a plan that was never presented says that, and what to do", async () => {
    const it = await mailBench({ presenters: ["alice"] });
    const message = { type: "plan_approval_response", request_id: "ask_x", approve: true };
    expect((await it.say(teamLead, { to: "bob", message })).text).toBe(
      "bob has not presented a plan yet, so there is nothing to approve. Nothing was sent. bob needs no approval: tell it in text what to do.",
    );
    await it.record.join({ name: "planner", cwd: "/", backendType: "in-process", planModeRequired: true });
    expect((await it.say(teamLead, { to: "planner", message })).text).toBe(
      "planner has not presented a plan yet, so there is nothing to approve. Nothing was sent. Tell planner in text to call ExitPlanMode: its plan then reaches you with a request_id.",
    );
    expect((await it.say(teamLead, { to: "alice", message })).text).toBe(
      'There is no open plan with the id "ask_x". Nothing was sent. No request waits for your answer now. A request reaches you as its own message with an id; text alone is not one.',
    );
    expect(it.control).toEqual([]);
  });

  test("answer with a made-up id names the plans that wait, with the call for each", async () => {
    const it = await mailBench({ plans: [open("ask_0000000p", "bob")], presenters: ["bob"] });
    const message = { type: "plan_approval_response", request_id: "ask_made_up", approve: true };
    expect((await it.say(teamLead, { to: "alice", message })).text).toBe(
      [
        "alice has not presented a plan yet, so there is nothing to approve. Nothing was sent. alice needs no approval: tell it in text what to do.",
        "These wait for your answer. To approve:",
        `- the plan of bob: SendMessage with to "bob" and message {"type":"plan_approval_response","request_id":"ask_0000000p","approve":true}`,
        `To refuse: the same with "approve":false and "feedback".`,
      ].join("\n"),
    );
    expect(it.control).toEqual([]);
  });

  test("an answer to a permission request says that the user decides", async () => {
    const it = await mailBench();
    const message = { type: "permission_response", request_id: "ask_made_up", approve: true };
    expect((await it.say(teamLead, { to: "bob", message })).text).toContain("The user answers permission requests.");
  });

  test("only the lead answers a plan: the open one, to its author, and a refusal needs feedback", async () => {
    const it = await mailBench({ plans: [open("ask_0000000p", "bob")] });
    const plan = (more: object) => ({
      type: "plan_approval_response",
      request_id: "ask_0000000p",
      approve: true,
      ...more,
    });
    const say = async (who: string, to: string, message: object) => (await it.say(who, { to, message })).text;
    expect(await say("alice", "bob", plan({}))).toMatch(/Only the lead approves plans/);
    expect(await say("bob", teamLead, plan({}))).toMatch(/Only the lead approves plans/);
    expect(await say(teamLead, "alice", plan({}))).toBe("That plan is bob's: send the answer to bob.");
    expect(await say(teamLead, "bob", plan({ request_id: "ask_x" }))).toMatch(
      /no open plan .*\n- the plan of bob: SendMessage with to "bob" and message .*"ask_0000000p","approve":true/,
    );
    expect(await say(teamLead, "bob", plan({ approve: false }))).toMatch(/Say in feedback what is wrong/);
    expect(it.control).toEqual([]);
    expect(await say(teamLead, "bob", plan({ approve: false, feedback: "too wide" }))).toMatch(/plans again/);
    expect(await say(teamLead, "bob", plan({}))).toMatch(/is approved, and bob begins/);
    expect(it.control).toHaveLength(2);
  });

  test.each([{ type: "permission_response", request_id: "x", approve: true }, { approve: true }, 7, ""])(
    "%j is not a message",
    async (message) => {
      const it = await mailBench();
      const said = await it.say("alice", { to: "bob", message });
      expect(said.ok).toBe(false);
      expect(said.text).toMatch(/`message`/);
    },
  );
});

test("description of the tool for the model", async () => {
  const it = await mailBench();
  expect(toolSpecs([it.toolOf("alice")])).toMatchSnapshot("teammate");
  expect(toolSpecs([it.toolOf(teamLead)])).toMatchSnapshot("lead");
  expect(it.toolOf("alice").input).toBe(it.toolOf("bob").input);
});
