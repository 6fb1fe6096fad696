import { describe, expect, test } from "vitest";
import type { Event, EventId, MailId } from "../../../src/protocol/index.ts";
import { farewellReportBody, idleReportBody } from "../../../src/team/teammate/idle-report.ts";
import { createUnreportedWork } from "../../../src/team/teammate/unreported-work.ts";
import { backgroundId, callId, enclose, spawned } from "../../support/view/sample-envelopes.ts";

const idle = (reason: "completed" | "interrupted" | "failed" = "completed"): Event => ({ type: "agent.idle", reason });

const turn = (text: string, ...calls: readonly string[]): Event[] => [
  { type: "turn.started", turn: 1, model: "a/b" },
  {
    type: "turn.ended",
    turn: 1,
    parts: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map((name) => ({ type: "tool_call" as const, callId: callId(name), name: "Bash", input: {} })),
    ],
    stopReason: "end_turn",
    contextTokens: 1,
    durationMs: 1,
  },
];

const call = (
  name: string,
  tool: string,
  input: object,
  more: Partial<Extract<Event, { type: "tool.settled" }>> = {},
) =>
  [
    { type: "tool.called", turn: 1, callId: callId(name), name: tool, input, title: tool },
    { type: "tool.settled", callId: callId(name), durationMs: 1, outcome: "ok", content: [], ...more },
  ] satisfies Event[];

const terminal = { display: { kind: "terminal" as const, exitCode: 0, signal: null } };
const bash = (name: string, command: string) => call(name, "Bash", { command }, terminal);

/** Follows a log. `sent` records a sent report, `report` returns the report for the last idle event. */
function follow() {
  const untold = createUnreportedWork();
  const log: Event[] = [];
  const ids: EventId[] = [];
  const add = (...events: readonly Event[]) => {
    for (const { id, at, event } of enclose([...log, ...events]).slice(log.length)) {
      untold.apply({ id, at, event });
      ids.push(id);
    }
    log.push(...events);
  };
  const sent = (mailId: MailId): Event => ({
    type: "mail.sent",
    team: "alpha",
    mailId,
    kind: "idle_notification",
    to: "team-lead",
  });
  const report = () => {
    const found = untold.lastIdleEvent && untold.reportUntil(untold.lastIdleEvent);
    return found && { mailId: found.mailId, ...idleReportBody(found, found.idle) };
  };
  add(spawned("scout@alpha"));
  return { untold, add, sent, report };
}

describe("unreported work", () => {
  test("evidence covers the work since the last report only", () => {
    const { add, sent, report } = follow();
    add(...turn("", "c1"), ...bash("c1", "make"), ...turn("[one]"), idle());
    const first = report();
    expect(first?.evidence).toMatch(
      /^What was really done, by the log:\n- 2 turns, 1 tool call.*\n- ran.*`make` \(exit 0/,
    );
    // It was woken before its log had the first report as sent.
    add(
      ...turn("", "c2"),
      sent(first?.mailId as MailId),
      ...call("c2", "Read", { file_path: "b.ts" }),
      ...turn("[two]"),
    );
    add(idle());
    expect(report()?.result).toBe("[two]");
    expect(report()?.evidence).toMatch(
      /^What was really done since its last report, by the log:\n- 2 turns, 1 tool call/,
    );
    expect(report()?.evidence).toContain("read: `b.ts`");
    expect(report()?.evidence).not.toContain("make");
  });

  test("idles reported together are one report; a background command counts where its end is seen", () => {
    const { add, sent, report } = follow();
    const serve: Event = {
      type: "background.started",
      backgroundId: backgroundId(1),
      kind: "shell",
      description: "serve",
      outputFile: "/o",
    };
    add(
      ...turn("", "c1"),
      serve,
      ...turn("[one]"),
      idle(),
      ...turn("", "c2"),
      ...bash("c2", "make"),
      ...turn("[two]"),
      idle(),
    );
    const first = report();
    expect(first).toMatchObject({ idleReason: "available", result: "[two]\n\nBefore that it said:\n\n[one]" });
    expect(first?.evidence).toMatch(/4 turns, 1 tool call[^]*`make` \(exit 0, [^)]*\), `serve` \(running, /);
    add(sent(first?.mailId as MailId));
    expect(report()).toBeUndefined();
    add(
      { type: "background.ended", backgroundId: backgroundId(1), status: "failed", exitCode: 3 },
      ...turn("[three]"),
      idle(),
    );
    expect(report()?.evidence).toMatch(/`serve` \(exit 3, /);
  });

  test("an unfinished run reports its intermediate text; a finished one only its answers", () => {
    const said = (...events: readonly Event[]) => {
      const { add, report } = follow();
      add(...events);
      return report()?.result;
    };
    const half = turn("half of it", "c1");
    expect(said(...half, idle("failed"))).toBe("half of it");
    expect(said(...half, idle("interrupted"))).toBe("half of it");
    expect(said(...turn("[one]"), idle(), ...half, idle("failed"))).toBe("[one]\n\nhalf of it");
    expect(said(...half, ...turn("[all]"), idle("failed"))).toBe("[all]");
    expect(said(...half, ...turn("[all]"), idle())).toBe("[all]");
    expect(said(...half, ...turn(""), idle())).toBe("half of it");
    expect(said(...turn("[all]"), ...turn("thanks", "c1"), ...turn(""), idle())).toBe("[all]");
    expect(said(...turn("", "c1"), idle("failed"))).toBeUndefined();
  });

  test("an interrupted run without text reports no words that it did not say", () => {
    const { add, report } = follow();
    add(...turn("", "c1"), idle("interrupted"));
    expect(report()?.evidence).toMatch(/No tool calls\.$/m);
  });

  test("the shutdown report contains all unreported work, and is sent once, also after a resume", () => {
    const { untold, add, sent } = follow();
    add(...turn("", "c1"), ...bash("c1", "make"), ...turn("[one]"), idle(), ...turn("[two]", "c2"));
    const last = untold.reportUntilNow();
    expect(last && farewellReportBody(last)).toMatchObject({
      idleReason: "available",
      isLeaving: true,
      result: "[one]\n\n[two]",
      evidence: expect.stringContaining("`make`") as string,
    });
    add(sent(last?.mailId as MailId), idle("interrupted"));
    const rest = untold.lastIdleEvent && untold.reportUntil(untold.lastIdleEvent);
    expect(rest).toMatchObject({ hasWorked: false, answers: [], lastText: undefined });
  });

  test("after a full report, a goodbye has no evidence, and silence needs no report", () => {
    const { untold, add, sent, report } = follow();
    add(...turn("[one]"), idle());
    add(sent(report()?.mailId as MailId), ...turn("", "c1"));
    const silent = untold.reportUntilNow();
    expect(silent && farewellReportBody(silent)).toBeUndefined();
    add(...turn("goodbye", "c2"));
    const polite = untold.reportUntilNow();
    expect(polite && farewellReportBody(polite)).toEqual({
      kind: "idle_notification",
      idleReason: "available",
      isLeaving: true,
      result: "goodbye",
    });
  });

  test("the shutdown report counts the call that runs, so it never says that there was none", () => {
    const { untold, add, sent, report } = follow();
    add(...turn("[one]"), idle());
    const [asks] = call("c1", "SendMessage", { to: "team-lead" });
    add(sent(report()?.mailId as MailId), ...turn("I agree."), ...turn("", "c1"), asks as Event);
    const last = untold.reportUntilNow();
    const { evidence = "" } = (last && farewellReportBody(last)) ?? {};
    expect(evidence).toContain("1 tool call (SendMessage 1)");
    expect(evidence).not.toContain("No tool calls");
  });
});
