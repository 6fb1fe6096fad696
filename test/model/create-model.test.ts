import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createModel, defaultModel, type ProviderEnv } from "../../src/model/create-model.ts";
import { createGateRegistry } from "../../src/model/gate.ts";
import { collect, shownText } from "../support/model/model-request.ts";
import { fastClock } from "../support/model/held-clock.ts";
import { shortAnswer, sse } from "../support/model/openai-answers.ts";
import { startWireServer } from "../support/model/wire-server.ts";

const make = (ref: string | undefined, env: ProviderEnv, more: { cwd?: string } = {}) => {
  const clock = fastClock();
  return createModel({
    ref,
    env,
    gates: createGateRegistry(clock),
    clock,
    random: () => 0.5,
    retry: { stallMs: 0 },
    ...more,
  });
};
const refusal = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe("model choice", () => {
  test("uses the requested model, with its limits", async () => {
    const model = await make("haiku", { openaiKey: "sk-test" });
    expect(model).toMatchObject({ ref: "openai/gpt-5.6-luna", contextWindow: 1_050_000, maxOutputTokens: 128_000 });
  });

  test("without a request, uses the provider of the available key", () => {
    expect(defaultModel({ anthropicKey: "a", openaiKey: "b" })).toBe("anthropic/claude-sonnet-5-5");
    expect(defaultModel({ anthropicAuthToken: "a" })).toBe("anthropic/claude-sonnet-5-5");
    expect(defaultModel({ openaiKey: "b" })).toBe("openai/gpt-5.6-terra");
  });

  test("without a key, names three ways to continue", async () => {
    await expect(make(undefined, {})).rejects.toEqual(
      refusal("no_model", "No model is configured. Set ANTHROPIC_API_KEY"),
    );
    await expect(make("opus", {})).rejects.toEqual(
      refusal("no_model", "anthropic/claude-opus-5-5 needs ANTHROPIC_API_KEY. Set it"),
    );
    await expect(make("openai/gpt-5", { anthropicKey: "a" })).rejects.toEqual(refusal("no_model", "troupe demo"));
  });

  test("an impossible choice fails before anything is sent, without showing the key", async () => {
    await expect(make("gpt-9", { openaiKey: "a" })).rejects.toEqual(refusal("unknown_model", 'Unknown model "gpt-9"'));
    await expect(make("openai/x", { openaiKey: "two words" })).rejects.toEqual(refusal("no_model", "OPENAI_API_KEY"));
    await expect(make("openai/x", { openaiKey: "two words" })).rejects.not.toThrow(/two/);
    await expect(make("local/x", { localBaseUrl: "localhost:1" })).rejects.toEqual(refusal("settings", "localhost:1"));
  });
});

describe("local server", () => {
  test("needs no key, gets none, and is asked with chat completions", async () => {
    const server = await startWireServer([{ body: sse(shortAnswer("local")) }]);
    const model = await make("local/qwen3:8b", { localBaseUrl: `${server.url}/v1/` });
    expect(shownText(await collect(model))).toBe("local");
    expect(server.requests).toMatchObject([
      { path: "/v1/chat/completions", body: { model: "qwen3:8b", max_tokens: 1000 } },
    ]);
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    await server.close();
  });

  test("gets the key if there is one", async () => {
    const server = await startWireServer([{ body: sse(shortAnswer("x")) }]);
    await collect(await make("local/m", { localBaseUrl: server.url, localKey: "k-1" }));
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer k-1");
    await server.close();
  });
});

test("a script answers through the same interface, and its faults are retried", async () => {
  const folder = await mkdtemp(join(tmpdir(), "troupe-model-"));
  const steps = [{ fault: { kind: "overloaded", times: 1 }, text: "from a file" }];
  await writeFile(join(folder, "script.json"), JSON.stringify({ version: 1, agents: { lead: { steps } } }));
  const events = await collect(await make("scripted/script.json", {}, { cwd: folder }));
  expect(events.map((event) => event.type)).toContain("retrying");
  expect(shownText(events)).toBe("from a file");
  await rm(folder, { recursive: true });
});
