import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ModelClient, ModelEvent } from "../../../src/protocol/index.ts";
import {
  type AnswerFunction,
  createScriptedModel,
  createTestClock,
  loadScriptedModel,
  openRecording,
  recordModel,
  type Script,
} from "../../../src/testing.ts";
import { ask, called, play, requestWith, settled, user } from "../../support/model/scripted-request.ts";

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "troupe-record-"));
});
afterAll(() => rm(folder, { recursive: true }));

const clock = createTestClock({ auto: true });
const newFile = () => join(folder, `run-${++made}.json`);
const live = (source: Script | AnswerFunction) => createScriptedModel(source, { clock, file: "live", cwd: folder });
const replayOf = (file: string) => loadScriptedModel(file, { clock });

/** A run as its reader sees it: the joined pieces and the end. */
const gist = (events: readonly ModelEvent[]) => ({
  text: events.flatMap((event) => (event.type === "text.delta" ? [event.text] : [])).join(""),
  thinking: events.flatMap((event) => (event.type === "thinking.delta" ? [event.text] : [])).join(""),
  input: events.flatMap((event) => (event.type === "tool.delta" ? [event.inputJson] : [])).join(""),
  end: events.at(-1),
});

const requests = [
  requestWith([user("go")], { turn: 1 }),
  requestWith([user("go"), called("Read", "1"), settled("1", "all")], { turn: 2 }),
  requestWith([user("dig")], { agentPath: "lead/digger", turn: 1 }),
  requestWith([user("go on")], { turn: 3 }),
  requestWith([user("sum up")], { turn: 3, purpose: "compact" }),
];

const runOf = async (client: ModelClient) => {
  const run = [];
  for (const request of requests) run.push(gist(await play(client, request)));
  return run;
};

test("a replay gives the same result as the run", async () => {
  const file = newFile();
  const recording = openRecording(file, { clock });
  const source = live({
    version: 1,
    agents: {
      "lead/digger": {
        steps: [
          {
            parts: [
              { text: "a" },
              { thinking: "b", signature: "sig" },
              { redacted: "r" },
              { tool: "T", input: "no json" },
              { text: "c" },
            ],
          },
        ],
      },
    },
    steps: [
      { text: "first {{said}}", calls: [{ tool: "Read", input: { path: "{{agent}}" } }], chunk: 3 },
      { text: "writes ${HOME}", thinking: "because", stop: "max_tokens", usage: { cacheReadTokens: 77 } },
      { fault: { kind: "forbidden", message: "not for you" } },
      { text: "" },
    ],
  });
  const original = await runOf(recordModel(source, recording, clock));
  await recording.finish();
  const replay = await replayOf(file);
  expect(await runOf(replay)).toEqual(original);
  replay.assertAllUsed();
});

test("text that looks like a placeholder stays text", async () => {
  const file = newFile();
  const recording = openRecording(file, { clock });
  await ask(
    recordModel(
      live(() => ({ text: "{{said}} {{oops}}" })),
      recording,
      clock,
    ),
    requestWith([user("x")]),
  );
  await recording.finish();
  expect(await ask(await replayOf(file), requestWith([user("x")]))).toBe("{{said}} {{oops}}");
});

test("after every answer the file is complete, private to its owner, and names the models", async () => {
  const file = newFile();
  const client = recordModel(
    live(() => ({ text: "said" })),
    openRecording(file, { clock }),
    clock,
  );
  for (let turn = 1; turn <= 3; turn++) {
    for await (const event of client.stream(requestWith([user("x")], { turn }), new AbortController().signal)) {
      if (event.type !== "finished") continue;
      const saved = JSON.parse(await readFile(file, "utf8")) as Script;
      expect(saved.agents?.["lead"]?.steps).toHaveLength(turn);
      expect(saved.recorded).toMatchObject({ models: { lead: "scripted/live" } });
    }
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("agents that answer at the same time are all recorded", async () => {
  const file = newFile();
  const recording = openRecording(file, { clock });
  const client = recordModel(
    live(({ agent }) => ({ text: agent })),
    recording,
    clock,
  );
  const paths = Array.from({ length: 40 }, (_, index) => `lead/${index}`);
  await Promise.all(paths.map((agentPath) => ask(client, requestWith([user("x")], { agentPath }))));
  await recording.finish();
  const replay = await replayOf(file);
  for (const agentPath of paths) expect(await ask(replay, requestWith([user("x")], { agentPath }))).toBe(agentPath);
});

test("aborted requests and secrets are not recorded; delays are if requested", async () => {
  const file = newFile();
  const recording = openRecording(file, { clock, secrets: ["sk-123", ""], keepDelays: true });
  const steps = [{ fault: { kind: "hang" as const } }, { text: "the key is sk-123", delayMs: 1200 }];
  const client = recordModel(live({ version: 1, steps }), recording, clock);
  const abort = new AbortController();
  setImmediate(() => abort.abort());
  await play(client, requestWith([user("x")]), abort.signal);
  expect(await ask(client, requestWith([user("x")]))).toBe("the key is sk-123");
  await recording.finish();
  const saved = await readFile(file, "utf8");
  expect(saved).not.toContain("sk-123");
  expect((JSON.parse(saved) as Script).agents?.["lead"]?.steps).toMatchObject([
    { text: "the key is [secret]", delayMs: 1200 },
  ]);
});

test("a failure fails the whole turn on replay, however often it is asked", async () => {
  const file = newFile();
  const recording = openRecording(file, { clock });
  const steps = [{ fault: { kind: "overloaded" as const, message: "full" } }, { text: "later" }];
  const client = recordModel(live({ version: 1, steps }), recording, clock);
  await ask(client, requestWith([user("x")], { turn: 1 }));
  await ask(client, requestWith([user("x")], { turn: 2 }));
  const replay = await replayOf(file);
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await ask(replay, requestWith([user("x")], { turn: 1 }))).toBe("overloaded: full");
  expect(await ask(replay, requestWith([user("x")], { turn: 2 }))).toBe("later");
});

test("an unwritable file is reported at the end, and the run continues", async () => {
  const recording = openRecording(join(folder, "no", "such", "folder.json"), { clock });
  const client = recordModel(
    live(() => ({ text: "fine" })),
    recording,
    clock,
  );
  expect(await ask(client, requestWith([user("x")]))).toBe("fine");
  await expect(recording.finish()).rejects.toMatchObject({ code: "storage" });
});
