import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, Event, MailId } from "../../../src/protocol/index.ts";
import {
  edgeKey,
  emptyMessageFlow,
  isLive,
  joinMessageFlows,
  maxEdges,
  maxMessages,
  messageCount,
  reduceMessageFlow,
  type MessageFlow,
  valueAt,
  valuesOf,
} from "../../../src/view/index.ts";
import { deepFreeze } from "../../support/view/deep-freeze.ts";
import { anyEvents, enclose, helper, lead, promptId, spawned } from "../../support/view/sample-envelopes.ts";

const mailId = (number: number) => `mail_${String(number).padStart(8, "0")}` as MailId;
const joined = (name: string): Event => ({ type: "team.joined", team: "t", name, role: "teammate" });
const sent = (number: number, to: string): Event => ({
  type: "mail.sent",
  team: "t",
  mailId: mailId(number),
  kind: "text",
  summary: "hello",
  to,
});
const received = (number: number, from: string): Event => ({
  type: "mail.received",
  team: "t",
  mailId: mailId(number),
  kind: "text",
  summary: "hello",
  from,
});

const fold = (envelopes: readonly Envelope[]): MessageFlow => envelopes.reduce(reduceMessageFlow, emptyMessageFlow);
const of = (log: readonly Envelope[], agent: AgentId) => log.filter((envelope) => envelope.agent === agent);

describe("mail", () => {
  const log = enclose([
    joined("ann"),
    [helper, joined("bob")],
    sent(1, "bob"),
    sent(2, "bob"),
    [helper, received(1, "ann")],
    [helper, sent(3, "ann")],
  ]);

  test("is counted by sender and receiver, with its state", () => {
    const { edges, recent } = fold(log);
    expect(valueAt(edges, edgeKey("ann@t", "bob@t"))).toMatchObject({ sent: 2, received: 1 });
    expect(valueAt(edges, edgeKey("bob@t", "ann@t"))).toMatchObject({ sent: 1, received: 0 });
    expect(
      recent.map(({ from, to, sentAt, receivedAt }) => [from, to, sentAt !== undefined, receivedAt !== undefined]),
    ).toEqual([
      ["ann@t", "bob@t", true, true],
      ["ann@t", "bob@t", true, false],
      ["bob@t", "ann@t", true, false],
    ]);
  });

  test("is the same in any order of logs, and for one session or two", () => {
    const shown = ({ edges, recent }: Pick<MessageFlow, "edges" | "recent">) => ({
      edges: [...valuesOf(edges)].sort((a, b) => a.from.localeCompare(b.from)),
      recent,
    });
    const live = shown(fold(log));
    expect(shown(fold([...of(log, helper), ...of(log, lead)]))).toEqual(live);
    expect(shown(joinMessageFlows([fold(of(log, lead)), fold(of(log, helper))]))).toEqual(live);
    expect(shown(joinMessageFlows([fold(of(log, helper)), fold(of(log, lead))]))).toEqual(live);
  });

  test("of a member without a visible log is known from the other side", () => {
    const { edges } = fold(of(log, helper));
    const edge = valueAt(edges, edgeKey("ann@t", "bob@t"));
    expect(edge && messageCount(edge)).toBe(1);
  });
});

test("messages between an agent and its parent are orders or reports", () => {
  const order: Event = { type: "prompt.admitted", promptId: promptId(1), source: "agent", parts: [] };
  const words: Event = { type: "prompt.admitted", promptId: promptId(2), source: "user", parts: [] };
  const idle: Event = { type: "agent.idle", reason: "completed" };
  const { recent } = fold(
    enclose([order, idle, [helper, spawned("lead/h", lead)], [helper, order], [helper, words], [helper, idle]]),
  );
  expect(recent.map(({ how, from, to }) => [how, from, to])).toEqual([
    ["order", lead, helper],
    ["report", helper, lead],
  ]);
});

test("is bounded, and keeps the latest messages", () => {
  const many = Math.max(maxEdges, maxMessages) + 700;
  const { edges, recent } = fold(enclose([joined("ann"), ...[...Array(many).keys()].map((n) => sent(n, `m${n}`))]));
  expect(edges.values.length).toBeLessThanOrEqual(maxEdges);
  expect(recent).toHaveLength(maxMessages);
  expect(recent.at(-1)).toMatchObject({ id: mailId(many - 1), to: `m${many - 1}@t` });
  expect(edges.index.has(edgeKey("ann@t", `m${many - 1}@t`))).toBe(true);
});

const anyMail = fc.array(
  fc.tuple(
    fc.constantFrom(lead, helper),
    fc.oneof(
      fc.constantFrom(joined("ann"), joined("bob"), spawned("lead/h", lead)),
      fc.tuple(fc.nat(9), fc.constantFrom("ann", "bob", "user")).map(([n, name]) => sent(n, name)),
      fc.tuple(fc.nat(9), fc.constantFrom("ann", "bob", "user")).map(([n, name]) => received(n, name)),
    ),
  ),
);
const anyLog = fc
  .tuple(anyEvents, anyMail)
  .map(([events, mail]) => deepFreeze(enclose([...events.slice(0, 30), ...mail, ...events.slice(30)])));

test("any log folds, also in halves, live or replayed, without changing its input", () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), (log, cut) => {
      const at = log.length === 0 ? 0 : cut % log.length;
      const half = deepFreeze(log.slice(0, at).reduce(reduceMessageFlow, deepFreeze(emptyMessageFlow)));
      const whole = fold(log);
      expect(log.slice(at).reduce(reduceMessageFlow, half)).toEqual(whole);
      expect(fold(log.filter(({ event }) => !isLive(event)))).toEqual(whole);
      for (const envelope of log) expect(reduceMessageFlow(whole, envelope)).toBe(whole);
    }),
  );
});
