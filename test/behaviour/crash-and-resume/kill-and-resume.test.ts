import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConversation } from "../../../src/agent/index.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { emptyView, reduceAll } from "../../../src/view/index.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";
import { soakRounds } from "../../support/setup/soak-rounds.ts";

/** An agent that never ends. Each turn writes its number twice, so a repeated call is visible. */
const endless = `
export default (ask) => ({
  text: "turn " + ask.turn,
  calls: [1, 2].map((n) => ({ tool: "Bash", input: { command: "echo " + ask.turn + "." + n + " >> effects" } })),
});`;

const rounds = soakRounds({ suite: 8, soak: 500 });
const flags = ["--model", "scripted/s.mjs", ...bypass];

/** Kills at a random moment of a run, resumes, and kills again. The log of the session must survive all of it. */
test(
  `${2 * rounds} rounds of kill -9 and resume in two sessions side by side`,
  async () => void (await Promise.all([chain(), chain()])),
  600_000 + rounds * 20_000,
);

async function chain(): Promise<void> {
  const place = workplace();
  place.write("s.mjs", endless);
  const first = place.start(["-p", "go", "--output-format", "stream-json", ...flags], { input: "" });
  await first.saw(/"tool\.settled"/);
  first.child.kill("SIGKILL");
  await first.done;
  const id = sessionIn(place.home);

  let [reached, settledRounds] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const next = place.start(["-p", "--resume", id, "--output-format", "stream-json", ...flags], { input: "" });
    // The kills range from well into the work to the start of the process. Three of eight may hit the start.
    const moment = (7 - (round % 8) + Math.random()) / 8;
    if (moment > 0.35) await next.saw(/"turn\.started"/).then(() => (reached += 1));
    if (moment > 0.75) await next.saw(/"tool\.settled"[^\n]*"outcome":"ok"/).then(() => (settledRounds += 1));
    await new Promise((resolve) => setTimeout(resolve, moment * 120));
    next.child.kill("SIGKILL");
    const { stderr } = await next.done;
    expect(stderr).not.toMatch(/troupe:.*(damaged|bug|in use)/);
  }
  expect(reached).toBeGreaterThan(rounds / 3);

  const effects = readFileSync(join(place.cwd, "effects"), "utf8").trim().split("\n");
  expect(new Set(effects).size, "no call was run twice").toBe(effects.length);

  const store = createFileSessionStore({
    home: join(place.home, ".troupe"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  const { lead } = await store.read(id);
  expect(lead.map(({ seq }) => seq)).toEqual(lead.map((_, index) => index + 1));
  const settled = lead.flatMap(({ event }) => (event.type === "tool.settled" ? [event] : []));
  expect(new Set(settled.map(({ callId }) => callId)).size, "one result for each call").toBe(settled.length);
  const interrupted = settled.filter(({ outcome }) => outcome === "interrupted");
  const said = interrupted.map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""));
  for (const text of said) expect(text).toMatch(/^(Unknown outcome|Not run)/);

  const conversation = createConversation();
  for (const { event } of lead) conversation.apply(event);
  // Each of these rounds has added an answer and the results of its calls.
  expect(settledRounds).toBeGreaterThan(0);
  expect(conversation.messages().length).toBeGreaterThan(2 * settledRounds);
  expect(reduceAll(emptyView, lead).agents.length).toBe(1);
  const done = settled.filter(({ outcome }) => outcome === "ok").length;
  expect(effects.length, "every finished call has had its effect").toBeGreaterThanOrEqual(done);
}

function sessionIn(home: string): string {
  const root = join(home, ".troupe", "projects");
  expect(existsSync(root)).toBe(true);
  const name = readdirSync(root, { recursive: true, encoding: "utf8" }).find(
    (file) => file.endsWith(".jsonl") && !file.includes("owner"),
  );
  return /ses_[0-9a-z]+/.exec(name as string)?.[0] as string;
}
