import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, Envelope, SessionListing } from "../../../src/protocol/index.ts";
import { createSession } from "../../../src/session/index.ts";
import { createFileSessionStore, createFileTeamStore } from "../../../src/store/index.ts";
import { createScriptedModel, type Script } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { isReachable, listed, sessionDirectoryOf, type Watch, watch } from "../../support/session/watch-sessions.ts";

const createId = createIdFactory(systemClock);

async function begin(steps: Script["steps"]) {
  const tree = tempTree();
  tree.folder("project");
  const home = tree.path("state");
  const cwd = tree.path("project");
  const session = await createSession({
    cwd,
    env: { HOME: tree.root, TROUPE_HOME: home, PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model: createScriptedModel({ version: 1, steps: steps ?? [] }, { clock: systemClock }),
    permissionMode: "bypassPermissions",
    observable: true,
  });
  onTestFinished(() => session.close());
  const { file } = (await createFileSessionStore({ home, clock: systemClock, createId }).list())[0] ?? { file: "" };
  return { session, home, cwd, log: file };
}

/** The events before the reader caught up. */
const beforeCaughtUp = ({ told }: Watch): Envelope[] =>
  told
    .slice(
      0,
      told.findIndex(({ kind }) => kind === "caught-up"),
    )
    .flatMap((each) => (each.kind === "envelopes" ? each.envelopes : []));

const eventsOf = (envelopes: readonly Envelope[]) => envelopes.map(({ event }) => event);

test("current tasks come before caught-up, for live and stored sessions", async () => {
  const { session, home } = await begin([]);
  for (const subject of ["dig", "plant"])
    expect(await session.dispatch({ type: "task.create", subject })).toEqual({ ok: true });
  expect(await session.dispatch({ type: "task.update", taskId: 1, status: "completed" })).toEqual({ ok: true });
  const sessionDirectory = sessionDirectoryOf(home);
  await listed(sessionDirectory, isReachable);
  const live = await watch(sessionDirectory, session.id);
  await live.caughtUp();
  expect(live.told.map((each) => each.kind === "state" && each.state)).toContain("reachable");
  const last = new Map(
    eventsOf(beforeCaughtUp(live)).flatMap((event) =>
      event.type === "task.changed" ? [[event.task.id, event.task]] : [],
    ),
  );
  expect([...last.values()].map(({ subject, status }) => [subject, status])).toEqual([
    ["dig", "completed"],
    ["plant", "pending"],
  ]);
  await session.close();
  const stored = await watch(sessionDirectory, session.id);
  await stored.caughtUp();
  expect(eventsOf(beforeCaughtUp(stored))).toContainEqual(
    expect.objectContaining({ type: "task.changed", task: expect.objectContaining({ subject: "plant" }) }),
  );
});

test("members and tasks of a team without a running lead are read from its files", async () => {
  const { session, home, cwd } = await begin([]);
  await session.close();
  const team = await createFileTeamStore({ home, clock: systemClock, createId }).create({
    name: "garden",
    leadSessionId: session.id,
    cwd,
  });
  await team.record.join({ name: "digger", cwd, backendType: "in-process" });
  await team.tasks.create({ subject: "dig", description: "" }, { name: "user" });
  await team.close();
  const seen = await watch(sessionDirectoryOf(home), session.id);
  await seen.caughtUp();
  const events = eventsOf(beforeCaughtUp(seen));
  expect(
    events.flatMap((event) => (event.type === "member.changed" ? [[event.team, event.name, event.role]] : [])),
  ).toEqual([
    ["garden", "team-lead", "lead"],
    ["garden", "digger", "teammate"],
  ]);
  expect(events).toContainEqual(expect.objectContaining({ type: "task.changed", team: "garden" }));
  // Also with a cursor past the start of the log.
  const again = await watch(sessionDirectoryOf(home), session.id, seen.cursor());
  await again.caughtUp();
  expect(eventsOf(beforeCaughtUp(again)).map(({ type }) => type)).toEqual([
    "member.changed",
    "member.changed",
    "task.changed",
  ]);
});

test("a reader that joins during an answer gets its start once; earlier readers get nothing twice", async () => {
  const words = Array.from({ length: 400 }, (_, i) => `word${i} `).join("");
  const { session, home } = await begin([{ text: words, chunk: 8, chunkDelayMs: 3 }]);
  const sessionDirectory = sessionDirectoryOf(home);
  const asked = session.ask("talk");
  const early = await watch(sessionDirectory, session.id);
  await early.state("reachable");
  await early.event(({ event }) => event.type === "text.delta" && event.text.includes("word9"));
  const late = await watch(sessionDirectory, session.id);
  const again = await watch(sessionDirectory, session.id, early.cursor());
  await asked;
  const textOf = (seen: Watch) =>
    eventsOf(seen.envelopes)
      .flatMap((event) => (event.type === "text.delta" ? [event.text] : []))
      .join("");
  for (const seen of [early, late, again]) await seen.event(({ event }) => event.type === "turn.ended");
  expect(textOf(late)).toBe(words);
  expect(words.endsWith(textOf(again))).toBe(true);
});

test("a damaged log is an error that says what to do; a torn end is not an error", async () => {
  const { session, home, log } = await begin([{ text: "one" }]);
  await session.ask("hello");
  await session.close();
  const text = readFileSync(log, "utf8");
  appendFileSync(log, '\n{"v":1,"id":"evt_');
  const torn = await watch(sessionDirectoryOf(home), session.id);
  await torn.caughtUp();
  expect(torn.envelopes.at(-1)?.event.type).toBe("session.closed");
  writeFileSync(log, text.replace('"hello"', '"hallo"'));
  const damaged = await watch(sessionDirectoryOf(home), session.id);
  await expect(damaged.done).rejects.toMatchObject({ code: "session_damaged", message: /troupe sessions repair/ });
  expect(damaged.told.some(({ kind }) => kind === "caught-up")).toBe(false);
});

test("the list is sent again when it changes, and an unknown session is refused", async () => {
  const { session, home } = await begin([{ text: "one" }]);
  const sessionDirectory = sessionDirectoryOf(home);
  const over = new AbortController();
  const lists = sessionDirectory.sessions(over.signal)[Symbol.asyncIterator]();
  const until = async (wanted: (listing: SessionListing) => boolean) => {
    for (;;) {
      const { value, done } = await lists.next();
      if (done) throw new Error("the list has ended");
      const found = value.find(wanted);
      if (found) return found;
    }
  };
  await until(({ id, state }) => id === session.id && state === "reachable");
  await session.ask("what is it called");
  await until(({ firstPrompt, model }) => firstPrompt === "what is it called" && model !== undefined);
  await session.close();
  await until(({ state }) => state === "stored");
  over.abort();
  expect((await lists.next()).done).toBe(true);
  await expect(sessionDirectory.open("ses_00000000000000000000000000" as never)).rejects.toMatchObject({
    code: "session_not_found",
  });
});

test("transcripts of any agent of any session are read from disk", async () => {
  const { session, home } = await begin([{ text: "one" }]);
  await session.ask("hello");
  const observed = await sessionDirectoryOf(home).open(session.id);
  const transcript = await observed.transcript({});
  expect(transcript.map(({ event }) => event.type)).toContain("turn.ended");
  await expect(observed.transcript({ agent: "agt_00000000" as AgentId })).rejects.toMatchObject({
    code: "session_not_found",
  });
});

test("changes by others to the team and tasks of a closed session are seen", async () => {
  const { session, home, cwd } = await begin([]);
  await session.close();
  const seen = await watch(sessionDirectoryOf(home), session.id);
  await seen.caughtUp();
  const team = await createFileTeamStore({ home, clock: systemClock, createId }).create({
    name: "garden",
    leadSessionId: session.id,
    cwd,
  });
  onTestFinished(() => team.close());
  await seen.event(({ event }) => event.type === "member.changed" && event.role === "lead");
  await team.tasks.create({ subject: "water", description: "" }, { name: "user" });
  await seen.event(({ event }) => event.type === "task.changed" && event.task.status === "pending");
  await team.tasks.update(1, { status: "completed" }, { name: "user" });
  await seen.event(({ event }) => event.type === "task.changed" && event.task.status === "completed");
  expect(eventsOf(seen.envelopes).filter(({ type }) => type === "member.changed")).toHaveLength(1);
  const listing = await listed(sessionDirectoryOf(home), ({ id }) => id === session.id);
  expect(listing).toMatchObject({ team: "garden", role: "lead", member: "team-lead" });
});

test("a session closed here is followed wherever it is opened next", async () => {
  const { session, home, cwd } = await begin([{ text: "one" }]);
  const sessionDirectory = sessionDirectoryOf(home, session);
  const seen = await watch(sessionDirectory, session.id);
  await seen.state("reachable");
  await session.close();
  await seen.state("stored");
  const states = seen.told.length;
  const again = await createSession({
    cwd,
    env: { HOME: cwd, TROUPE_HOME: home, PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model: createScriptedModel({ version: 1, steps: [{ text: "two" }] }, { clock: systemClock }),
    resume: session.id,
    observable: true,
  });
  onTestFinished(() => again.close());
  await seen.saw((each, index) => index >= states && each.kind === "state" && each.state === "reachable");
  const observed = await sessionDirectory.open(session.id);
  expect(await observed.dispatch({ type: "prompt", content: "go on" })).toEqual({ ok: true });
  await seen.event(({ event }) => event.type === "text.delta");
});
