import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGateRegistry, createModel } from "../../src/model/index.ts";
import type { ModelClient, ModelEvent } from "../../src/protocol/index.ts";
import { createTestClock, openRecording, recordModel, startModelServer } from "../../src/testing.ts";
import { called, play, requestWith, settled, user } from "../support/model/scripted-request.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-replay-"));
});
afterAll(() => rm(folder, { recursive: true }));

const clock = createTestClock({ auto: true });
const connect = (ref: string, baseUrl = "") => {
  const env = {
    anthropicKey: "sk-secret",
    openaiKey: "sk-secret",
    anthropicBaseUrl: baseUrl,
    openaiBaseUrl: `${baseUrl}/v1`,
  };
  const gates = createGateRegistry(clock);
  return createModel({ ref, env, gates, clock, random: () => 0.5, cwd: folder, retry: { stallMs: 0 } });
};

/** Three turns, the second after two lost attempts. Deltas are only for viewers. */
async function run(client: ModelClient): Promise<ModelEvent[]> {
  const talk = [user("go"), called("Read", "call_1", { path: "a" }), settled("call_1", "all of it")];
  const turns = [
    [user("go")],
    talk,
    [...talk, { role: "assistant" as const, parts: [{ type: "text" as const, text: "so" }] }, user("and now?")],
  ];
  const events: ModelEvent[] = [];
  for (const [index, messages] of turns.entries())
    events.push(...(await play(client, requestWith(messages, { turn: index + 1 }))));
  return events.filter(({ type }) => type === "finished" || type === "failed");
}

test.each(["anthropic/claude-sonnet-5", "openai/gpt-5"])(
  "a run of %s, recorded and replayed without a key",
  async (ref) => {
    const server = await startModelServer({
      clock,
      faults: [
        { request: 2, status: 529 },
        { request: 3, cutAfterEvents: 2 },
      ],
      script: {
        version: 1,
        steps: [
          { text: "I read ☕.", calls: [{ tool: "Read", input: { path: "a" }, id: "call_1" }] },
          { text: "It says: {{result}}" },
          { fault: { kind: "authentication", message: "no more credit" } },
        ],
      },
    });
    try {
      const file = `${ref.replace("/", "-")}.json`;
      const recording = openRecording(join(folder, file), { clock, secrets: ["sk-secret"] });
      const original = await run(recordModel(await connect(ref, server.url), recording, clock));
      await recording.finish();
      expect(original.map(({ type }) => type)).toEqual(["finished", "finished", "failed"]);
      expect(original[1]).toMatchObject({ answer: { parts: [{ type: "text", text: "It says: all of it" }] } });
      expect(server.requests.map(({ end }) => end)).toEqual(["answered", "refused", "cut", "answered", "refused"]);
      expect(server.unused()).toEqual([]);

      expect(await run(await connect(`scripted/${file}`))).toEqual(original);
      expect(await readFile(join(folder, file), "utf8")).not.toContain("sk-secret");
    } finally {
      await server.close();
    }
  },
);

test("faults of a script go through the same retries", async () => {
  const file = join(folder, "faults.mjs");
  await writeFile(
    file,
    'export default { version: 1, steps: [{ text: "at last", fault: { kind: "rate_limited", retryAfterMs: 5000, times: 2 } }] };',
  );
  const events = await play(await connect("scripted/faults.mjs"), requestWith([user("go")]));
  expect(events.filter(({ type }) => type === "retrying")).toMatchObject([
    { failure: { kind: "rate_limited" }, delayMs: 5000 },
    { failure: { kind: "rate_limited" }, delayMs: 5000 },
  ]);
  expect(events.at(-1)).toMatchObject({ type: "finished", answer: { parts: [{ text: "at last" }] } });
});
