import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createAcpModel } from "../../../src/model/acp/acp-model.ts";
import { createProcessScope } from "../../../src/platform/index.ts";
import type { Message, ModelEvent } from "../../../src/protocol/index.ts";

const program = resolve(import.meta.dirname, "../../support/programs/acp-agent.mjs");
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function made() {
  const processes = createProcessScope();
  const model = createAcpModel({
    name: "other",
    command: [process.execPath, program],
    cwd: import.meta.dirname,
    env: { PATH: process.env["PATH"] ?? "" },
    processes,
    mcpServers: [],
    introduction: "hello",
    ask: async () => false,
    cancelWithinMs: 100,
  });
  closing.push(async () => {
    await model.close();
    await processes.close();
  });
  return model;
}

const user = (...texts: readonly string[]): Message => ({
  role: "user",
  parts: texts.map((text) => ({ type: "text", text })),
});
const assistant = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });

const request = (messages: readonly Message[]) => ({
  system: [],
  messages,
  tools: [],
  maxOutputTokens: 1000,
  caller: { agentPath: "scout", agentType: "other", turn: 1, purpose: "answer" as const },
});

async function ask(
  model: ReturnType<typeof made>,
  messages: readonly Message[],
  { abortAt, signal }: { readonly abortAt?: RegExp; readonly signal?: AbortSignal } = {},
): Promise<{ readonly last: ModelEvent | undefined; readonly words: string }> {
  const stop = new AbortController();
  let words = "";
  let last: ModelEvent | undefined;
  for await (const event of model.stream(request(messages), signal ?? stop.signal)) {
    last = event;
    if (event.type === "text.delta") words += event.text;
    if (abortAt?.test(words)) stop.abort();
  }
  return { last, words };
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("program receives a prompt sent after an interrupt, even in the same message as an earlier one", async () => {
  const model = made();
  expect((await ask(model, [user("@@hang")], { abortAt: /half a w/ })).last).toMatchObject({
    type: "failed",
    failure: { kind: "aborted" },
  });
  const after = [user("@@hang", "[interrupted]", "@@echo now this")];
  expect((await ask(model, after)).words).toBe("[interrupted]\n@@echo now this");
  const later = [...after, assistant("…"), user("@@echo and that")];
  expect((await ask(model, later)).words).toBe("@@echo and that");
});

test("prompt not delivered because of an interrupt is delivered with the next request", async () => {
  const model = made();
  const before = [user("@@echo first")];
  await ask(model, before);
  const said = [...before, assistant("…"), user("@@echo second")];
  expect((await ask(model, said, { signal: AbortSignal.abort() })).last).toMatchObject({
    failure: { kind: "aborted" },
  });
  expect((await ask(model, said)).words).toBe("@@echo second");
});

test("program that ignores a cancel, or whose turn failed, is ended", async () => {
  const model = made();
  const deaf = await ask(model, [user("@@deaf")], { abortAt: /\d/ });
  expect(deaf.last).toMatchObject({ type: "failed", failure: { kind: "aborted" } });
  await expect.poll(() => isRunning(Number(deaf.words))).toBe(false);

  const failing = await ask(model, [user("@@fail")]);
  expect(failing.last).toMatchObject({ type: "failed", failure: { kind: "server" } });
  const [pid] = /\d+(?= cannot)/.exec(JSON.stringify(failing.last)) ?? [];
  expect(Number(pid)).toBeGreaterThan(0);
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
});
