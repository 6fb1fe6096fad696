import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { isLive } from "../../../src/view/index.ts";
import { soakRounds } from "../../support/setup/soak-rounds.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";
import { isReachable, listed, sessionDirectoryOf, type Watch, watch } from "../../support/session/watch-sessions.ts";

/** An agent that never ends and streams its answer slowly. */
const endless = `
export default (ask) => ({
  text: "this is turn " + ask.turn + " of many",
  chunk: 6,
  chunkDelayMs: 5,
  calls: [{ tool: "Bash", input: { command: "echo " + ask.turn } }],
});`;

const homeOf = (place: Workplace) => join(place.home, ".troupe");
const doorsOf = (place: Workplace) => readdirSync(join(homeOf(place), "run"));

function expectWhole(envelopes: readonly Envelope[]) {
  const last = new Map<string, number>();
  for (const { agent, seq, event } of envelopes) {
    if (isLive(event)) continue;
    expect(seq).toBe((last.get(agent) ?? 0) + 1);
    last.set(agent, seq);
  }
}

const count = (seen: Watch, type: string) => seen.envelopes.filter(({ event }) => event.type === type).length;

test("client follows a session across kill and resume without gap or repeat", async () => {
  const place = workplace();
  place.write("s.mjs", endless);
  const flags = ["--model", "scripted/s.mjs", ...bypass];
  const sessionDirectory = sessionDirectoryOf(homeOf(place));
  const first = place.start(["-p", "go", ...flags], { input: "" });
  const { id, firstPrompt } = await listed(sessionDirectory, isReachable);
  expect(firstPrompt).toBe("go");
  const [one, two] = [await watch(sessionDirectory, id), await watch(sessionDirectoryOf(homeOf(place)), id)];
  await Promise.all([one.state("reachable"), two.state("reachable")]);
  await one.event(({ event }) => event.type === "text.delta");
  first.child.kill("SIGKILL");
  await first.done;
  await one.state("stored");
  expect((await listed(sessionDirectory, (each) => each.id === id)).state).toBe("stored");
  const before = count(one, "turn.ended");

  const second = place.start(["-p", "--resume", id, ...flags], { input: "" });
  const died = one.told.findIndex((each) => each.kind === "state" && each.state === "stored");
  await one.saw((each, index) => index > died && each.kind === "state" && each.state === "reachable");
  const known = one.envelopes.length;
  await one.event(({ event }, index) => index > known && event.type === "text.delta");
  // A third client resumes from a cursor in the middle.
  const cursor = one.cursor();
  const three = await watch(sessionDirectory, id, cursor);
  await three.caughtUp();
  second.child.kill("SIGTERM");
  await second.done;
  for (const seen of [one, two, three]) {
    await seen.event(({ event }) => event.type === "session.closed");
    await seen.stop();
  }
  expect(count(one, "turn.ended")).toBeGreaterThan(before);
  expectWhole(one.envelopes);
  const stored = (seen: Watch) => seen.envelopes.filter(({ event }) => !isLive(event)).map((each) => each.id);
  expect(new Set(stored(two))).toEqual(new Set(stored(one)));
  const rest = one.envelopes.filter(({ agent, seq, event }) => !isLive(event) && seq > (cursor[agent] ?? 0));
  expect(stored(three)).toEqual(rest.map((each) => each.id));
});

test("permission request is answered from another process", async () => {
  const place = workplace();
  place.write("s.json", {
    version: 1,
    steps: [{ calls: [{ tool: "Bash", input: { command: "touch made-it" } }] }, { text: "It is made." }],
  });
  const run = place.start([
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--model",
    "scripted/s.json",
  ]);
  const sessionDirectory = sessionDirectoryOf(homeOf(place));
  const { id } = await listed(sessionDirectory, isReachable);
  const session = await sessionDirectory.open(id);
  const seen = await watch(sessionDirectory, id);
  expect(await session.dispatch({ type: "prompt", content: "make it" })).toEqual({ ok: true });
  const asked = await seen.event(({ event }) => event.type === "permission.asked");
  if (asked.event.type !== "permission.asked") throw new Error("no question");
  const { requestId } = asked.event;
  expect(
    await session.dispatch({ type: "permission.reply", requestId, answer: { behavior: "allow", scope: "once" } }),
  ).toEqual({ ok: true });
  await seen.event(({ event }) => event.type === "tool.settled" && event.outcome === "ok");
  expect(readdirSync(place.cwd)).toContain("made-it");
  expect(
    await session.dispatch({ type: "permission.reply", requestId, answer: { behavior: "allow", scope: "once" } }),
  ).toMatchObject({ ok: false });
  run.end();
  await run.done;
  await seen.state("stored");
  expect(await session.dispatch({ type: "prompt", content: "more" })).toMatchObject({ ok: false, code: "not_running" });
});

test("session socket is private, goes with its session, and is removed after a kill", async () => {
  const place = workplace();
  place.write("s.mjs", endless);
  const flags = ["--model", "scripted/s.mjs", ...bypass];
  const sessionDirectory = sessionDirectoryOf(homeOf(place));
  const first = place.start(["-p", "go", ...flags], { input: "" });
  const { id } = await listed(sessionDirectory, isReachable);
  const folder = join(homeOf(place), "run");
  const [door = ""] = doorsOf(place);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, door)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, door)).isSocket()).toBe(true);
  first.child.kill("SIGKILL");
  await first.done;
  expect(doorsOf(place)).toEqual([door]);

  // A process that opens its own socket removes stale sockets of any session.
  const second = place.start(["-p", "go", ...flags], { input: "" });
  await listed(sessionDirectory, (each) => each.id !== id && isReachable(each));
  await expect.poll(() => doorsOf(place)).toHaveLength(1);
  expect(doorsOf(place)).not.toContain(door);
  second.child.kill("SIGTERM");
  await second.done;
  expect(doorsOf(place)).toEqual([]);
});

test("stopped process is open but not reachable; it is reachable again after SIGCONT", async () => {
  const place = workplace();
  place.write("s.mjs", endless);
  const sessionDirectory = sessionDirectoryOf(homeOf(place));
  const run = place.start(["-p", "go", "--model", "scripted/s.mjs", ...bypass], { input: "" });
  const { id } = await listed(sessionDirectory, isReachable);
  run.child.kill("SIGSTOP");
  const seen = await watch(sessionDirectory, id);
  await seen.state("open");
  await seen.caughtUp();
  run.child.kill("SIGCONT");
  await seen.state("reachable");
  await seen.event(({ event }) => event.type === "text.delta");
  run.child.kill("SIGKILL");
  await run.done;
  await seen.state("stored");
  expectWhole(seen.envelopes);
});

const rounds = soakRounds({ suite: 3, soak: 60 });

test(`one client follows ${rounds} rounds of kill -9 and resume`, async () => {
  const place = workplace();
  place.write("s.mjs", endless);
  const flags = ["--output-format", "stream-json", "--model", "scripted/s.mjs", ...bypass];
  const sessionDirectory = sessionDirectoryOf(homeOf(place));
  const first = place.start(["-p", "go", ...flags], { input: "" });
  const { id } = await listed(sessionDirectory, isReachable);
  const seen = await watch(sessionDirectory, id);
  await seen.event(({ event }) => event.type === "text.delta");
  first.child.kill("SIGKILL");
  await first.done;
  for (let round = 0; round < rounds; round++) {
    const next = place.start(["-p", "--resume", id, ...flags], { input: "" });
    await next.saw(/"turn\.started"/);
    const moment = seen.envelopes.length + Math.floor(Math.random() * 60);
    // Some processes die before their socket is open, others in the middle of an answer.
    if (round % 2 === 0) await seen.event((_, index) => index >= moment);
    next.child.kill("SIGKILL");
    await next.done;
  }
  const whole = await watch(sessionDirectoryOf(homeOf(place)), id);
  await whole.caughtUp();
  const last = whole.envelopes.findLast(({ event }) => !isLive(event));
  await seen.event((envelope) => envelope.id === last?.id);
  await seen.stop();
  expectWhole(seen.envelopes);
  const stored = (each: Watch) => each.envelopes.filter(({ event }) => !isLive(event));
  expect(stored(seen)).toEqual(stored(whole));
});
