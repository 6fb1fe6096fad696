import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import type { AgentId, EventId, SessionId, StoredEnvelope } from "../../src/protocol/index.ts";
import { createFileSessionStore, createRunFilter, logsAcrossRuns, openSessionCopy } from "../../src/store/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
const own = ports.createId<AgentId>("agt");
const under = ports.createId<AgentId>("agt");

const said = (session: string, seq: number, message: string, agent = own): StoredEnvelope => ({
  v: 1,
  id: ports.createId<EventId>("evt"),
  session: session as SessionId,
  agent,
  seq,
  at: new Date(0).toISOString(),
  event: { type: "notice.raised", level: "info", code: "test", message },
});

const words = (envelopes: readonly StoredEnvelope[] = []) =>
  envelopes.map(({ event }) => (event.type === "notice.raised" ? event.message : event.type));

test("runs follow each other: events of an earlier run after a later one started do not count", () => {
  const lane = [
    said("ses_a", 1, "a1"),
    said("ses_a", 1, "below", under),
    said("ses_a", 2, "a2"),
    // The next run did not know it when it started.
    said("ses_a", 3, "a3"),
    said("ses_b", 3, "b3"),
    said("ses_a", 4, "a4"),
    said("ses_b", 4, "b4"),
    // A gap: nothing can continue after it.
    said("ses_b", 6, "b6"),
  ];
  const logs = logsAcrossRuns(lane);
  expect(words(logs.get(own))).toEqual(["a1", "a2", "b3", "b4"]);
  expect(words(logs.get(under))).toEqual(["below"]);
  expect(words(lane.filter(createRunFilter()))).toEqual(["a1", "below", "a2", "a3", "b3", "b4", "b6"]);
});

test("a remote session is one session of this home, over several openings", async () => {
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  const sessionId = ports.createId<SessionId>("ses");
  const open = () => openSessionCopy({ home, cwd, sessionId, ...ports });
  const first = await open();
  expect(await first.count(own)).toBe(0);
  const opened = {
    ...said("ses_a", 1, ""),
    event: { type: "session.opened", sessionId: "ses_a" as SessionId, version: "1", cwd, resumed: false } as const,
  };
  await first.append(opened);
  await first.append(said("ses_a", 1, "below", under));
  await first.close();
  // Killed in the middle of a line.
  const [project = ""] = readdirSync(join(home, "projects"));
  appendFileSync(join(home, "projects", project, `${sessionId}.jsonl`), '\n{"v":1,"id":"ev');
  const again = await open();
  expect([await again.count(own), await again.count(under)]).toEqual([1, 1]);
  // Numbered here: two runs may both have a second event.
  expect(await again.append(said("ses_b", 7, "more"))).toMatchObject({ session: sessionId, seq: 2 });
  await again.close();
  const { lead, agents } = await createFileSessionStore({ home, ...ports }).read(sessionId);
  expect(words(lead)).toEqual(["session.opened", "more"]);
  expect(lead[0]?.event).toMatchObject({ sessionId });
  expect(lead[0]?.id).toBe(opened.id);
  expect(words(agents.get(under))).toEqual(["below"]);
});
