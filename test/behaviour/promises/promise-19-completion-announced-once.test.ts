import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { soakRounds } from "../../support/setup/soak-rounds.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";

/** A lead that starts three agents in every turn until it is stopped. It waits for one of them. */
const script = `
import { existsSync } from "node:fs";
export default (ask) => {
  if (ask.purpose === "compact") return { text: "They work." };
  if (ask.agent !== "lead") return { text: "done: " + ask.said, delayMs: ask.said.length * 7 };
  if (existsSync("stop")) return { text: "over" };
  const agent = (prompt, more) => ({ tool: "Agent", input: { description: "work", prompt, subagent_type: "general-purpose", ...more } });
  const background = { run_in_background: true };
  return { text: "turn", calls: [agent("a", background), agent("bbbbbb", background), agent("c")] };
};`;

const rounds = soakRounds({ suite: 6, soak: 30 });
const settings = { limits: { maxAgents: 50_000, maxSpawnsPerMinute: 50_000 }, compaction: { atTokens: 9_000 } };

test(`promise 19: completion is announced exactly once, also across compaction, resume and ${rounds} kills`, async () => {
  const place = workplace();
  place.write("s.mjs", script);
  place.write("settings.json", settings);
  const flags = [
    "--model",
    "scripted/s.mjs",
    "--settings",
    "settings.json",
    "--output-format",
    "stream-json",
    ...bypass,
  ];
  const first = place.start(["-p", "go", ...flags], { input: "" });
  await first.saw(/"background\.started"/);
  first.child.kill("SIGKILL");
  await first.done;
  const id = sessionIn(place.home);
  for (let round = 0; round < rounds; round++) {
    const next = place.start(["-p", "--resume", id, ...flags], { input: "" });
    // Every other round lives until an agent works in the background.
    if (round % 2 === 0) await next.saw(/"background\.started"/);
    else if (Math.random() > 0.5) await next.saw(/"turn\.started"/);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    next.child.kill("SIGKILL");
    await next.done;
  }
  place.write("stop", "");
  const last = await place.run(["-p", "--resume", id, ...flags]);
  expect(last.code, last.stderr).toBe(0);

  const clock = systemClock;
  const store = createFileSessionStore({ home: join(place.home, ".troupe"), clock, createId: createIdFactory(clock) });
  const { lead, agents } = await store.read(id);
  const events = lead.map(({ event }) => event);
  const news = events.flatMap((event) =>
    event.type === "prompt.admitted" && event.source === "background" ? [event] : [],
  );
  const told = news.map(({ parts }) => JSON.stringify(parts));
  const started = events.filter((event) => event.type === "background.started");
  expect(started.length).toBeGreaterThan(rounds / 2);
  for (const { backgroundId } of started) {
    expect(
      told.filter((text) => text.includes(`<task-id>${backgroundId}<`)),
      backgroundId,
    ).toHaveLength(1);
  }
  const ended = events.flatMap((event) => (event.type === "background.ended" ? [event.backgroundId] : []));
  expect(ended.toSorted()).toEqual(started.map(({ backgroundId }) => backgroundId).toSorted());
  // Every started agent is accounted for: by a notice of its end, or by the result of the call that waited for it.
  const results = JSON.stringify(events.filter((event) => event.type === "tool.settled"));
  for (const [agent, envelopes] of agents) {
    if (!envelopes.some(({ event }) => event.type === "agent.spawned")) continue;
    const times = told.filter((text) => text.includes(`<agent-id>${agent}<`)).length;
    expect(times, agent).toBeLessThanOrEqual(1);
    if (times === 0) expect(results, agent).toContain(agent);
  }
  const promoted = events.flatMap((event) => (event.type === "prompt.promoted" ? [event.promptId] : []));
  expect(new Set(promoted).size).toBe(promoted.length);
  expect(news.map(({ promptId }) => promptId).filter((each) => !promoted.includes(each))).toEqual([]);
});

function sessionIn(home: string): string {
  const root = join(home, ".troupe", "projects");
  expect(existsSync(root)).toBe(true);
  const name = readdirSync(root, { recursive: true, encoding: "utf8" }).find((file) =>
    /ses_[0-9a-z]+\.jsonl$/.test(file),
  );
  return /ses_[0-9a-z]+/.exec(name ?? "")?.[0] ?? "";
}

const answering = `
const mate = (name) => ({ tool: "Agent", input: { description: "d", prompt: "work", name } });
export default (ask) => {
  if (ask.purpose === "compact") return { text: "They work." };
  if (ask.agent === "lead") return ask.turn === 1 ? { calls: ["a", "b", "c"].map(mate) } : { text: "heard" };
  if (ask.turn < 4) return { text: "step", calls: [{ tool: "Bash", input: { command: "sleep 0.1" } }], delayMs: 20 };
  return { text: "the answer of " + ask.agent };
};`;

test("promise 19: teammate's result is announced exactly once, also across repeated kills", async () => {
  const place = workplace();
  place.write("s.mjs", answering);
  const flags = ["--model", "scripted/s.mjs", "--output-format", "stream-json", "--team", "alpha", ...bypass];
  const first = place.start(["-p", "go", ...flags], { input: "" });
  await first.saw(/"member\.joined".*"name":"c"/);
  first.child.kill("SIGKILL");
  await first.done;
  const folder = join(place.home, ".troupe");
  const id = leadIn(folder);
  for (const wait of [/"turn\.started"/, /"tool\.called"/, /the answer of a@alpha/, /"idle_notification"/]) {
    const next = place.start(["-p", "--resume", id, ...flags], { input: "" });
    await Promise.race([next.saw(wait).catch(() => undefined), next.done]);
    next.child.kill("SIGKILL");
    await next.done;
  }
  const last = await place.run(["-p", "--resume", id, ...flags]);
  expect(last.code, last.stderr).toBe(0);
  const store = createFileSessionStore({ home: folder, clock: systemClock, createId: createIdFactory(systemClock) });
  const events = (await store.read(id)).lead.map(({ event }) => event);
  const told = events.flatMap((event) =>
    event.type === "prompt.admitted" && event.source === "mail" ? [JSON.stringify(event.parts)] : [],
  );
  for (const name of ["a", "b", "c"])
    expect(
      told.filter((text) => text.includes(`the answer of ${name}@alpha`)),
      name,
    ).toHaveLength(1);
  const promoted = events.flatMap((event) => (event.type === "prompt.promoted" ? [event.promptId] : []));
  expect(new Set(promoted).size).toBe(promoted.length);
});

/** The session that leads the team. */
function leadIn(home: string): string {
  const record = readFileSync(join(home, "teams", "alpha", "team.jsonl"), "utf8");
  return /"leadSessionId":"(ses_[0-9a-z]+)"/.exec(record)?.[1] ?? "";
}
