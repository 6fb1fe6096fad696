import {
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { serveAcp } from "../../src/acp/index.ts";
import { type Session, startSession } from "../../src/session/index.ts";
import { tempTree } from "../support/files/temp-tree.ts";

/** An editor connected to `serveAcp` in one process, with real sessions. */
async function editor(steps: readonly object[]) {
  const tree = tempTree({ "project/s.json": { version: 1, steps }, "home/.keep": "" });
  const [up, down] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const sessions: Session[] = [];
  const errors: unknown[] = [];
  const leaving = new AbortController();
  const served = serveAcp(
    {
      input: up.readable,
      output: down.writable,
      version: "0",
      async open({ cwd }) {
        const session = await startSession({
          cwd,
          env: {
            HOME: tree.path("home"),
            TROUPE_HOME: tree.path("home/.troupe"),
            PATH: process.env["PATH"],
            TROUPE_SANDBOX: "off",
          },
          flags: { model: "scripted/s.json", permissionMode: "bypassPermissions" },
          asker: "reply",
        });
        sessions.push(session);
        return session;
      },
      sessions: async () => [],
      onError: (error) => errors.push(error),
    },
    leaving.signal,
  );
  onTestFinished(async () => {
    leaving.abort();
    await served;
  });
  const updates: SessionUpdate[] = [];
  let reading = Promise.resolve();
  /** Stops reading until the returned function is called. */
  const stopReading = () => {
    let goOn = () => undefined as void;
    reading = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  const gate = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await reading;
      controller.enqueue(chunk);
    },
  });
  const connection = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .connect(ndJsonStream(up.writable, down.readable.pipeThrough(gate)));
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const begin = async () =>
    (await agent.request(methods.agent.session.new, { cwd: tree.path("project"), mcpServers: [] })).sessionId;
  const prompt = (sessionId: string, text: string) =>
    agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  return { begin, prompt, updates, sessions, errors, leaving, served, stopReading };
}

test("slash command that starts no run ends its turn and shows its output", async () => {
  const { begin, prompt, updates } = await editor([{ text: "hello" }, { text: "again" }]);
  const id = await begin();
  expect(await prompt(id, "/help")).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(updates)).toContain("/compact");
  expect(await prompt(id, "hi")).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(updates)).toContain("hello");
});

test("disconnected editor leaves no session open", async () => {
  const { begin, prompt, sessions, updates, leaving, served } = await editor([
    { calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] },
  ]);
  const ids = [await begin(), await begin()];
  for (const id of ids) void prompt(id, "go").catch(() => undefined);
  await expect.poll(() => updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(2);
  leaving.abort();
  await served;
  expect(sessions.map((session) => session.view().state.kind)).toEqual(["closed", "closed"]);
});

test("editor that stops reading gets every update once and in order when it reads again", async () => {
  const words = (from: number) => Array.from({ length: 4_000 }, (_, at) => `w${from + at}`).join(" ");
  const look = { tool: "Glob", input: { pattern: "*.none" } };
  const { begin, prompt, updates, sessions, errors, stopReading } = await editor([
    { text: words(0), chunk: 1, calls: [look] },
    { text: words(10_000), chunk: 1, calls: [look] },
    { text: "That was much." },
    { text: "And again." },
  ]);
  const id = await begin();
  const goOn = stopReading();
  const answered = prompt(id, "speak");
  const [session] = sessions;
  for await (const { event } of session?.events({ aside: true }) ?? []) if (event.type === "agent.idle") break;
  goOn();
  expect(await answered).toEqual({ stopReason: "end_turn" });
  expect(await prompt(id, "once more")).toEqual({ stopReason: "end_turn" });
  const said = updates.map((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
  );
  expect(said.join("")).toBe(`${words(0)}${words(10_000)}That was much.And again.`);
  const calls = updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
  expect(new Set(calls.map((call) => "toolCallId" in call && call.toolCallId)).size).toBe(2);
  expect(calls).toHaveLength(2);
  expect(errors).toEqual([]);
});
