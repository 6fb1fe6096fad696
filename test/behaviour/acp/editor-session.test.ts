import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientContext,
  methods,
  ndJsonStream,
  type PromptResponse,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { program, workplace, type Workplace } from "../../support/cli/workplace.ts";

interface Editor {
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
  /** The kind of the option to choose next. */
  choose: string | undefined;
  readonly ended: Promise<number | null>;
  close(): void;
}

/** An editor built with the protocol's own SDK, connected to the built program. */
function editor(place: Workplace, args: readonly string[]): Editor {
  const child = spawn(process.execPath, [program, "acp", ...args], {
    cwd: place.cwd,
    env: {
      PATH: process.env["PATH"],
      TROUPE_SANDBOX: "off",
      HOME: place.home,
      TROUPE_HOME: join(place.home, ".troupe"),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const made: { choose: string | undefined } = { choose: "allow_once" };
  const app = client({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      questions.push(params);
      const chosen = params.options.find(({ kind }) => kind === made.choose);
      if (chosen) return { outcome: { outcome: "selected" as const, optionId: chosen.optionId } };
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" as const } })),
      );
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  const connection = app.connect(stream);
  return Object.assign(made, {
    agent: connection.agent,
    updates,
    questions,
    ended,
    close: () => void child.stdin.end(),
  });
}

const textOf = (updates: readonly SessionUpdate[], kind: string) =>
  updates
    .map((update) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      !Array.isArray(update.content) &&
      update.content?.type === "text"
        ? update.content.text
        : "",
    )
    .join("");

const prompt = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });

function scripted() {
  const place = workplace();
  place.write("notes.txt", "old words\n");
  place.write("s.json", {
    version: 1,
    steps: [
      { text: "I read it first.", calls: [{ tool: "Read", input: { file_path: "notes.txt" } }] },
      {
        calls: [
          { tool: "Edit", input: { file_path: "notes.txt", old_string: "old words", new_string: "new words" } },
          { tool: "TaskCreate", input: { subject: "Look at it again", description: "later" } },
        ],
      },
      { text: "Done as asked." },
      { calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] },
      { text: "after that" },
      { text: "and once more" },
    ],
  });
  return place;
}

test("editor opens a session, follows it, answers, changes the mode, cancels and reopens it", async () => {
  const place = scripted();
  const first = editor(place, ["--model", "scripted/s.json"]);
  const hello = await first.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  expect(hello).toMatchObject({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "troupe" },
    agentCapabilities: { loadSession: true },
  });
  const { sessionId, modes } = await first.agent.request(methods.agent.session.new, { cwd: place.cwd, mcpServers: [] });
  expect(modes?.currentModeId).toBe("default");

  const done = await prompt(first.agent, sessionId, "change it");
  expect(done.stopReason).toBe("end_turn");
  expect(readFileSync(join(place.cwd, "notes.txt"), "utf8")).toBe("new words\n");
  expect(textOf(first.updates, "agent_message_chunk")).toBe("I read it first.Done as asked.");
  expect(first.questions).toMatchObject([
    {
      sessionId,
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "allow_always" }, { kind: "reject_once" }],
    },
  ]);
  const edit = first.updates.filter(
    (update) => "toolCallId" in update && update.toolCallId === first.questions[0]?.toolCall.toolCallId,
  );
  expect(edit).toMatchObject([
    {
      sessionUpdate: "tool_call",
      kind: "edit",
      status: "pending",
      content: [{ type: "diff", oldText: "old words", newText: "new words" }],
      locations: [{ path: "notes.txt" }],
    },
    { sessionUpdate: "tool_call_update", status: "in_progress" },
    { sessionUpdate: "tool_call_update", status: "completed" },
  ]);
  expect(first.updates).toContainEqual(
    expect.objectContaining({
      sessionUpdate: "plan",
      entries: [expect.objectContaining({ content: "Look at it again" })],
    }),
  );

  await first.agent.request(methods.agent.session.setMode, { sessionId, modeId: "bypassPermissions" });
  expect(first.updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "bypassPermissions" });
  await expect(first.agent.request(methods.agent.session.setMode, { sessionId, modeId: "bubble" })).rejects.toThrow();

  const running = prompt(first.agent, sessionId, "wait");
  await expect
    .poll(() => first.updates.some((update) => "title" in update && /tail -f/.test(update.title ?? "")))
    .toBe(true);
  await expect(prompt(first.agent, sessionId, "x")).rejects.toThrow(
    /this session is busy\. Cancel the current prompt first/,
  );
  await first.agent.notify(methods.agent.session.cancel, { sessionId });
  expect((await running).stopReason).toBe("cancelled");
  first.close();
  expect(await first.ended).toBe(0);

  const second = editor(place, ["--model", "scripted/s.json"]);
  await second.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessions } = await second.agent.request(methods.agent.session.list, { cwd: place.cwd });
  expect(sessions).toMatchObject([{ sessionId, cwd: place.cwd, title: "change it" }]);
  await second.agent.request(methods.agent.session.load, { sessionId, cwd: place.cwd, mcpServers: [] });
  expect(textOf(second.updates, "user_message_chunk")).toBe("change itwait");
  expect(textOf(second.updates, "agent_message_chunk")).toBe("I read it first.Done as asked.");
  const again = await prompt(second.agent, sessionId, "go on");
  expect(again.stopReason).toBe("end_turn");
  await second.agent.request(methods.agent.session.close, { sessionId });
  second.close();
  expect(await second.ended).toBe(0);
});

test("cancelled question counts as denied; two sessions run side by side", async () => {
  const place = scripted();
  const made = editor(place, ["--model", "scripted/s.json"]);
  made.choose = undefined;
  const { agent, questions, updates, close, ended } = made;
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const open = () => agent.request(methods.agent.session.new, { cwd: place.cwd, mcpServers: [] });
  const [one, two] = [await open(), await open()];
  expect(one.sessionId).not.toBe(two.sessionId);
  const asked = [one, two].map(({ sessionId }) => prompt(agent, sessionId, "change it"));
  await expect.poll(() => questions.length).toBeGreaterThan(0);
  for (const { sessionId } of [one, two]) await agent.notify(methods.agent.session.cancel, { sessionId });
  const reasons = (await Promise.all(asked)).map(({ stopReason }) => stopReason);
  expect(reasons.every((reason) => reason === "cancelled" || reason === "end_turn")).toBe(true);
  expect(updates.length).toBeGreaterThan(0);
  close();
  expect(await ended).toBe(0);
});

test("missing folder, missing session and missing model key are reported as errors", async () => {
  const place = workplace();
  const { agent, close, ended } = editor(place, []);
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  await expect(agent.request(methods.agent.session.new, { cwd: "/nowhere/at/all", mcpServers: [] })).rejects.toThrow(
    /nowhere/,
  );
  await expect(agent.request(methods.agent.session.new, { cwd: place.cwd, mcpServers: [] })).rejects.toThrow(
    /key|model/i,
  );
  await expect(
    agent.request(methods.agent.session.load, { sessionId: "ses_none", cwd: place.cwd, mcpServers: [] }),
  ).rejects.toThrow(/ses_none/);
  await expect(prompt(agent, "ses_none", "x")).rejects.toThrow();
  close();
  expect(await ended).toBe(0);
});

test("a request sent right behind initialize is answered", async () => {
  const place = workplace();
  const script = place.write("script.json", { version: 1, steps: [] });
  const messages = [
    { method: "initialize", params: { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} } },
    { method: "session/new", params: { cwd: place.cwd, mcpServers: [] } },
  ].map((message, id) => `${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`);
  const running = place.start(["acp", "--model", `scripted/${script}`]);
  running.write(messages.join("").trimEnd());
  expect(await running.saw(/"id":1,.*\n/)).toContain('"sessionId"');
});
