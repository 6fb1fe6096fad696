import { expect, onTestFinished, test } from "vitest";
import type { AgentId, Envelope, SessionId } from "../../../src/protocol/index.ts";
import { openSessionDirectory } from "../../../src/session/index.ts";
import { createMemoryLog } from "../../../src/store/index.ts";
import { emptyView, reduceAll } from "../../../src/view/index.ts";
import { busStore, closedAfter, ports } from "../../support/bus/bus-stores.ts";
import { startNats } from "../../support/bus/nats-server.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { listed, watch } from "../../support/session/watch-sessions.ts";

test("team on a bus with sessions on another machine: members, tasks and published events", async () => {
  const server = await startNats();
  onTestFinished(() => server.close());
  // The other machine.
  const [leadSession, annSession] = [ports.createId<SessionId>("ses"), ports.createId<SessionId>("ses")];
  const team = closedAfter(
    await busStore(server.url).create({ name: "crew", cwd: "/there", leadSessionId: leadSession }),
  );
  const presence = await team.presence.announce("team-lead", "working");
  onTestFinished(() => presence.close());
  await team.record.join({ name: "ann", cwd: "/there", backendType: "remote", sessionId: annSession });
  await team.tasks.create({ subject: "dig", description: "" }, { name: "team-lead" });
  const happen = (life: SessionId, agent: AgentId) => {
    const log = createMemoryLog({ ...ports, session: life, agent });
    return (message: string) => log.record({ type: "notice.raised", level: "info", code: "test", message });
  };
  const agent = ports.createId<AgentId>("agt");
  const early = happen(ports.createId<SessionId>("ses"), agent);
  await team.events?.append("ann", [await early("one"), await early("two")]);

  // This machine has none of its files.
  const home = tempTree().path("state");
  const problems: string[] = [];
  const sessionDirectory = openSessionDirectory({
    home,
    bus: busStore(server.url),
    onProblem: (each) => problems.push(each),
  });
  onTestFinished(() => sessionDirectory.close());
  const lead = await listed(sessionDirectory, ({ id }) => id === leadSession);
  expect(lead).toMatchObject({ team: "crew", role: "lead", isElsewhere: true, cwd: "/there" });
  expect(await listed(sessionDirectory, ({ id }) => id === annSession)).toMatchObject({
    member: "ann",
    isElsewhere: true,
  });

  const seen = await watch(sessionDirectory, leadSession);
  await seen.caughtUp();
  const view = () => reduceAll(emptyView, seen.envelopes);
  expect(
    view()
      .teams.get("crew")
      ?.members.map(({ name, state }) => [name, state]),
  ).toEqual([
    ["team-lead", "working"],
    ["ann", "starting"],
  ]);
  expect(
    view()
      .tasks.get("crew")
      ?.map(({ subject, status }) => [subject, status]),
  ).toEqual([["dig", "pending"]]);
  await team.tasks.claim(1, { name: "ann" });
  await seen.event(({ event }) => event.type === "task.changed" && event.task.owner === "ann");
  const session = await sessionDirectory.open(leadSession);
  expect(await session.dispatch({ type: "prompt", content: "hello" })).toMatchObject({
    ok: false,
    code: "not_running",
  });
  await session.close();

  // Each run numbers its events from the start. A viewer sees one session.
  const ann = await watch(sessionDirectory, annSession);
  await ann.caughtUp();
  const late = happen(ports.createId<SessionId>("ses"), agent);
  await team.events?.append("ann", [await late("three")]);
  const said = ({ event }: Envelope) => (event.type === "notice.raised" ? event.message : "");
  await ann.event((envelope) => said(envelope) === "three");
  expect(ann.envelopes.map((envelope) => [envelope.session, envelope.seq, said(envelope)])).toEqual([
    [annSession, 1, "one"],
    [annSession, 2, "two"],
    [annSession, 3, "three"],
  ]);
  const again = await watch(sessionDirectory, annSession, { [agent]: 2 });
  await again.caughtUp();
  expect(again.envelopes.map(said)).toEqual(["three"]);
  for (const each of [seen, ann, again]) await each.stop();
  expect(problems).toEqual([]);
});
