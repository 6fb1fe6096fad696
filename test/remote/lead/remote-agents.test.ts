import { rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { remoteConduct, stillRunningRemotely, adoptedJobNotice } from "../../../src/agent/index.ts";
import type { AgentPath, Envelope } from "../../../src/protocol/index.ts";
import { startNats } from "../../support/bus/nats-server.ts";
import { remotePlace } from "../../support/workers/remote-session.ts";

const script = `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 60000 } }] });
const part = (n) => ({ tool: "Agent", input: { description: "a part", prompt: "a part", subagent_type: "general-purpose", name: "part" + n, isolation: "remote" } });
export default (ask) => {
  if (ask.agent === "lead" && ask.said === "many")
    return ask.results.length === 0 ? { text: "", calls: [1, 2, 3, 4, 5, 6].map(part) } : { text: "lead heard: " + ask.results.map(({ text }) => text).join() };
  if (ask.said === "a part") return ask.turn === 1 ? bash("echo $RANDOM > part.txt") : { text: "a part is done" };
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write it", subagent_type: "general-purpose", name: "writer", isolation: "remote" } }] }
      : { text: "lead heard: " + ask.result.text };
  if (ask.said === "that is enough") return { text: "enough it is" };
  if (ask.turn === 1) return bash("echo one > one.txt && git add -A && git commit -qm one");
  return bash("while test -e WAIT; do sleep 0.05; done");
};`;

/** A lead and a worker on a separate bus. */
async function place(flags: { maxTokens?: number } = {}) {
  const server = await startNats();
  onTestFinished(() => server.close());
  const here = remotePlace({ bus: server.url, script, flags });
  const life = await here.live();
  /** The last answer of the lead. */
  const answer = () =>
    life.seen
      .flatMap(({ event }) => (event.type === "turn.ended" ? event.parts : []))
      .flatMap((part) => (part.type === "text" ? [part.text] : []))
      .findLast((text) => text.startsWith("lead heard")) ?? "";
  return { ...here, ...life, answer };
}

const waits = ({ event }: Envelope) => event.type === "tool.called" && event.title.includes("while test");
const writer = "lead/writer" as AgentPath;

test("a message sent on the way is received there; the agent ends and cannot be resumed", async () => {
  const { session, saw, wait, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "go" });
  await saw(waits);
  expect(await session.dispatch({ type: "prompt", agent: writer, content: "that is enough" })).toEqual({ ok: true });
  rmSync(wait);
  await session.settled();
  expect(answer()).toContain("enough it is");
  expect(answer()).toContain("on the branch troupe/agent-");
  expect(git("log", "--format=%an: %s", "--branches", "^main")).toBe("Troupe: one\n");
  await session.dispatch({ type: "prompt", agent: writer, content: "go on" });
  const told = await saw(({ event }) => event.type === "prompt.admitted" && event.source === "background");
  expect(JSON.stringify(told.event)).toContain("remote does only one task, and its clone no longer exists.");
});

test("an interrupt here stops it there, and its commits become a branch", async () => {
  const { session, saw, said, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "go" });
  await saw(waits);
  await session.dispatch({ type: "interrupt", agent: writer });
  await session.settled();
  expect(answer()).toContain("the user interrupted it");
  expect(answer()).toContain("on the branch troupe/agent-");
  expect(git("log", "--format=%s", "--branches", "^main")).toBe("one\n");
  expect(said.at(-1)).toMatch(/^lead\/writer \(job_\w+\) interrupted$/);
});

test("its usage is on the lead's ledger, and the remaining budget is its limit", async () => {
  const { session, wait, saw } = await place({ maxTokens: 9000 });
  rmSync(wait);
  await session.dispatch({ type: "prompt", content: "go" });
  expect(await session.settled()).toMatchObject({ reason: "limit", detail: expect.stringContaining("9000 tokens") });
  const { event } = await saw(
    (each) => each.event.type === "tool.settled" && each.event.callId.startsWith("call_lead_"),
  );
  expect(JSON.stringify(event)).toContain("tokens is used up");
});

test("six at once on a worker that runs two: each returns as a branch", async () => {
  const { session, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "many" });
  await session.settled();
  expect(answer().match(/a part is done/g)).toHaveLength(6);
  expect(git("for-each-ref", "--format=x", "refs/heads/troupe").trim().split("\n")).toHaveLength(6);
});

test("texts for a remote agent", () => {
  expect(remoteConduct("troupe/agent-1")).toMatchInlineSnapshot(`
    "# Where you work
    You work in a clone of the repository, on the branch troupe/agent-1, on a different machine from the agent that started you. Commit your work: your commits are returned as a branch. Uncommitted changes are committed for you when you end. Files outside the clone, and ignored files, stay behind. Others cannot see your files: say in your last message all that they need to know."
  `);
  const elsewhere = stillRunningRemotely({ description: "write it", agentId: "agt_1", taskId: "bg_1" });
  expect(elsewhere).toMatchInlineSnapshot(
    `"The agent for "write it" (agt_1) did not end with the program: it runs on another machine. It is followed here again, as the background job bg_1. You are notified when it ends. Do not start it again."`,
  );
  expect(adoptedJobNotice("0123456789abcdef")).toMatchInlineSnapshot(
    `"The machine that started this job is gone. The commits made there are in your clone (git log 0123456789ab..); uncommitted changes are lost. Check what is already done, and continue from there."`,
  );
});
