import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentPath, type Envelope, StoredEvent } from "../../../src/protocol/index.ts";
import { type NatsServer, startNats } from "../../support/bus/nats-server.ts";
import { type RemoteLife, remotePlace } from "../../support/workers/remote-session.ts";

const script = `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 60000 } }] });
export default (ask) => {
  if (ask.agent === "lead") {
    if (ask.said.includes("<task-notification>")) return { text: "lead received: " + ask.said };
    if (ask.said.startsWith("go"))
      return ask.results.length === 0
        ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write it", subagent_type: "general-purpose", name: "writer", isolation: "remote", run_in_background: ask.said === "go behind" } }] }
        : { text: "lead heard: " + ask.result.text };
    return { text: "lead says yes" };
  }
  if (ask.turn === 1) return bash("echo one > one.txt && git add -A && git commit -qm one");
  if (ask.turn === 2) return bash("while test -e WAIT; do sleep 0.05; done");
  if (ask.turn === 3) return bash("echo two > two.txt && git add -A && git commit -qm two");
  return { text: "both are written" };
};`;

let server: NatsServer;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

const place = (flags: { maxTokens?: number } = {}) => remotePlace({ bus: server.url, script, flags });

const waits = ({ event }: Envelope) => event.type === "tool.called" && event.title.includes("while test");
const told = ({ event }: Envelope) =>
  event.type === "turn.ended" && JSON.stringify(event.parts).includes("lead received");
const textOf = ({ event }: Envelope) => JSON.stringify(event);
const path = "lead/writer" as AgentPath;

/** All events in the agent's log, from all runs of its session. */
const logOf = (...lives: readonly RemoteLife[]) => {
  const all = lives.flatMap(({ seen }) => seen);
  const writer = all.find(({ event }) => event.type === "agent.spawned" && event.path === path)?.agent;
  return all.filter(({ agent, event }) => agent === writer && StoredEvent.safeParse(event).success);
};

for (const manner of ["go", "go behind"])
  test(`session closed during remote work (${manner}): it continues and is reported once on resume`, async () => {
    const { wait, live, git } = place();
    const first = await live();
    await first.session.dispatch({ type: "prompt", content: manner });
    await first.saw(waits);
    await first.close();
    expect(git("for-each-ref", "refs/heads/troupe")).toBe("");
    const second = await live(first.session.id);
    rmSync(wait);
    const end = await second.saw(told);
    expect(textOf(end)).toContain("both are written");
    expect(textOf(end)).toContain("on the branch troupe/agent-");
    expect(git("log", "--format=%s", "--branches", "^main")).toBe("two\none\n");
    const log = logOf(first, second);
    expect(new Set(log.map(({ seq }) => seq)).size).toBe(log.length);
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
    for (const type of ["turn.started", "turn.ended"])
      expect(log.filter(({ event }) => event.type === type)).toHaveLength(4);
    expect(log.flatMap(({ event }) => (event.type === "tool.settled" ? [event.outcome] : []))).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    await second.close();
    const third = await live(first.session.id);
    await third.session.dispatch({ type: "prompt", content: "is that all?" });
    await third.session.settled();
    expect([...second.seen, ...third.seen].filter(told)).toHaveLength(1);
  });

test("remote agent finished while the session was closed: result and branch are fetched once", async () => {
  const { wait, live, git } = place({ maxTokens: 1_000_000 });
  const first = await live();
  await first.session.dispatch({ type: "prompt", content: "go" });
  await first.saw(waits);
  await first.close();
  rmSync(wait);
  const second = await live(first.session.id);
  expect(textOf(await second.saw(told))).toContain("both are written");
  expect(git("log", "--format=%s", "--branches", "^main")).toBe("two\none\n");
  const words = second.seen.flatMap(({ event }) => (event.type === "prompt.admitted" ? [JSON.stringify(event)] : []));
  expect(words.filter((each) => each.includes("<task-notification>"))).toHaveLength(1);
});
