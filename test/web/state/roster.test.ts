import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, Event, SessionId } from "../../../src/protocol/index.ts";
import { commandsFor } from "../../../web/src/state/agent-commands.ts";
import { emptyDashboard } from "../../../web/src/state/dashboard-state.ts";
import { foldEnvelopes } from "../../../web/src/state/fold-envelopes.ts";
import { rosterOf } from "../../../web/src/state/roster.ts";
import {
  backgroundId,
  enclose,
  helper,
  lead,
  opened,
  sessionId,
  spawned,
} from "../../support/view/sample-envelopes.ts";

const memberSession = "ses_33333333" as SessionId;
const memberAgent = "agt_33333333" as AgentId;
const member = (
  state: "working" | "idle" | "ended",
  more: Partial<Extract<Event, { type: "member.changed" }>> = {},
): Event => ({
  type: "member.changed",
  team: "t",
  name: "ann",
  role: "teammate",
  state,
  since: "2026-01-01T00:00:00.000Z",
  alive: state === "ended" ? "dead" : "alive",
  color: "green",
  sessionId: memberSession,
  ...more,
});
const ofMember = (envelopes: readonly Envelope[]) =>
  envelopes.map((envelope) => ({ ...envelope, session: memberSession }));
const rosterFrom = (envelopes: readonly Envelope[], state: "stored" | "reachable" = "reachable") => {
  const { views } = foldEnvelopes({ ...emptyDashboard, selected: sessionId }, envelopes);
  return { roster: rosterOf(views, sessionId, [{ id: sessionId, state }]), views };
};

const log = [
  ...enclose([
    opened(),
    spawned(),
    { type: "turn.started", turn: 1, model: "m" },
    [helper, spawned("lead/helper", lead)],
    [helper, { type: "turn.started", turn: 1, model: "m" }],
    {
      type: "background.started",
      backgroundId: backgroundId(1),
      kind: "agent",
      agent: helper,
      description: "looks",
      outputFile: "/x",
    },
    member("working"),
  ]),
  ...ofMember(
    enclose([
      [memberAgent, opened()],
      [memberAgent, spawned("ann@t")],
      [memberAgent, { type: "agent.idle", reason: "completed" }],
    ]),
  ),
];

describe("roster", () => {
  test("has the lead, then members, then subagents, each with colour and state", () => {
    const { roster } = rosterFrom(log);
    expect(roster.map(({ name, kind, color, state, depth }) => [name, kind, color, state, depth])).toEqual([
      ["lead", "lead", undefined, "working", 0],
      ["ann", "teammate", "green", "idle", 1],
      ["helper", "sub-agent", "red", "working", 1],
    ]);
    expect(roster[1]?.agent?.id).toBe(memberAgent);
  });

  test("shows no agent as working in a session that no process has open", () => {
    expect(rosterFrom(log, "stored").roster.map(({ state }) => state)).toEqual(["stopped", "idle", "stopped"]);
  });

  test("takes the end of a member from the team", () => {
    const ended = [...log, ...enclose([member("ended", { ended: "killed" })])];
    expect(rosterFrom(ended).roster[1]?.state).toBe("stopped");
    expect(rosterFrom([...log, ...enclose([member("ended", { ended: "lost" })])]).roster[1]?.state).toBe("failed");
  });
});

describe("commands", () => {
  const { roster, views } = rosterFrom(log);
  const of = (name: string) => {
    const entry = roster.find((each) => each.name === name);
    if (!entry) throw new Error(`no ${name}`);
    return commandsFor(entry, sessionId, views.get(entry.session ?? sessionId));
  };

  test("for a lead go to its own session", () => {
    expect(of("lead").prompt("go")).toEqual({ session: sessionId, command: { type: "prompt", content: "go" } });
    expect(of("lead").interrupt?.command).toEqual({ type: "interrupt" });
    expect(of("lead").stop?.command).toEqual({ type: "close" });
    expect(of("lead").respawn).toBeUndefined();
  });

  test("for a member go through the session that leads it", () => {
    const to = { team: "t", name: "ann" };
    expect(of("ann").prompt("go")).toEqual({
      session: sessionId,
      command: { type: "mail.send", team: "t", to: "ann", text: "go" },
    });
    expect(of("ann").interrupt).toBeUndefined();
    expect(of("ann").stop?.command).toEqual({ type: "member.stop", ...to });
    const gone = rosterFrom([...log, ...enclose([member("ended")])]).roster[1];
    const commands = gone && commandsFor(gone, sessionId, undefined);
    expect(commands?.respawn?.command).toEqual({ type: "member.respawn", ...to });
    expect(commands?.prompt("go")).toBeUndefined();
  });

  test("for a subagent name its path, and stop its background job", () => {
    expect(of("helper").prompt("go")?.command).toEqual({ type: "prompt", agent: "lead/helper", content: "go" });
    expect(of("helper").interrupt?.command).toEqual({ type: "interrupt", agent: "lead/helper" });
    expect(of("helper").stop?.command).toEqual({ type: "background.stop", backgroundId: backgroundId(1) });
  });
});
