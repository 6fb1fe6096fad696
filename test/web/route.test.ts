import { expect, test } from "vitest";
import type { AgentId, SessionId } from "../../src/protocol/index.ts";
import { hrefOf, parseRoute, replayHref } from "../../web/src/route.ts";

const session = "ses_00000000" as SessionId;
const agent = "agt_00000000" as AgentId;

test("an address is parsed as it was formatted", () => {
  expect(parseRoute("")).toEqual({ kind: "home" });
  expect(parseRoute("#/")).toEqual({ kind: "home" });
  expect(parseRoute(hrefOf(session, "cost"))).toEqual({
    kind: "session",
    session,
    view: "cost",
    agent: undefined,
    at: undefined,
    isReplay: false,
  });
  expect(parseRoute(hrefOf(session, "transcript", { agent, at: "evt_1?&=" }))).toEqual({
    kind: "session",
    session,
    view: "transcript",
    agent,
    at: "evt_1?&=",
    isReplay: false,
  });
  expect(parseRoute(hrefOf(session, "tasks", { agent, isReplay: true }))).toMatchObject({
    view: "tasks",
    isReplay: true,
  });
});

test("an address of the replay keeps its place, and old addresses of replays work", () => {
  expect(parseRoute(`#/s/${session}/replay`)).toMatchObject({ view: "team", isReplay: true });
  expect(replayHref(hrefOf(session, "transcript", { agent, at: 3 }), session)).toBe(
    `#/s/${session}/transcript/${agent}?at=3&replay`,
  );
  expect(replayHref("#/", session)).toBeUndefined();
});

test.each([
  "#/x",
  "#/s",
  "#/s/ses_1",
  `#/s/${session}/nothing`,
  `#/s/${session}/team/../..`,
  `#/s/${session}/team/${agent}/more`,
  "#/s/<script>/team",
])("%s is not a route", (hash) => {
  expect(parseRoute(hash)).toEqual({ kind: "unknown", hash });
});
