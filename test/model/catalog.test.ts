import { describe, expect, test } from "vitest";
import { factsOf, parseRef, resolveModel, suggestModel } from "../../src/model/catalog.ts";
import { familyAliases, knownModels } from "../../src/model/known-models.ts";
import { costOf } from "../../src/model/prices.ts";

const facts = (ref: string, models = {}) => {
  const parsed = parseRef(ref);
  if (!parsed) throw new Error(ref);
  return factsOf(parsed, { models });
};

describe("model names", () => {
  test.each([
    ["anthropic/claude-opus-5-5", undefined, "anthropic/claude-opus-5-5"],
    ["anthropic/claude-of-tomorrow", undefined, "anthropic/claude-of-tomorrow"],
    ["local/qwen/qwen3:32b", undefined, "local/qwen/qwen3:32b"],
    ["scripted//tmp/a.json", undefined, "scripted//tmp/a.json"],
    ["claude-haiku-5-5", undefined, "anthropic/claude-haiku-5-5"],
    ["gpt-5.4", undefined, "openai/gpt-5.4"],
    ["opus", undefined, "anthropic/claude-opus-5-5"],
    ["opus", "anthropic/claude-sonnet-5-5", "anthropic/claude-opus-5-5"],
    ["opus", "openai/gpt-5.4", "openai/gpt-5.6-sol"],
    ["haiku", "local/qwen3", "local/qwen3"],
    ["haiku", "scripted/a.json", "scripted/a.json"],
  ])("%s with %s is %s", (name, current, ref) => {
    expect(resolveModel(name, { current }).ref).toBe(ref);
  });

  test("settings add names and change families", () => {
    const overrides = { aliases: { fast: "haiku", opus: "local/big" } };
    expect(resolveModel("fast", { overrides }).ref).toBe("anthropic/claude-haiku-5-5");
    expect(resolveModel("opus", { overrides }).ref).toBe("local/big");
  });

  test.each([
    ["sonet", 'Unknown model "sonet". Did you mean sonnet?'],
    ["claude-opus-55", 'Unknown model "claude-opus-55". Did you mean claude-opus-5-5?'],
    ["antropic/claude-opus-5-5", 'Unknown model "antropic/claude-opus-5-5". Did you mean anthropic/claude-opus-5-5?'],
    ["llama", 'Unknown model "llama". Use anthropic/…, openai/…, local/NAME, scripted/FILE, or opus, sonnet, haiku'],
    ["constructor", 'Unknown model "constructor".'],
    ["anthropic/", 'Unknown model "anthropic/".'],
    ["", 'Unknown model "".'],
  ])("%j is unknown, and the message lists the known models", (name, message) => {
    expect(() => resolveModel(name)).toThrow(
      expect.objectContaining({ code: "unknown_model", message: expect.stringContaining(message) }),
    );
  });

  test("every family has a known model with every provider that has families", () => {
    for (const family of Object.values(familyAliases))
      for (const ref of Object.values(family)) expect(knownModels).toHaveProperty([ref]);
  });

  test("a suggestion is close or absent", () => {
    expect(suggestModel("openai/gpt-5.6-tera")).toBe("openai/gpt-5.6-terra");
    expect(suggestModel("openai/davinci-of-old")).toBeUndefined();
  });
});

describe("model facts", () => {
  test("known, assumed, and set by the settings", () => {
    expect(facts("anthropic/claude-haiku-4-5")).toEqual({
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      thinking: "budget",
    });
    expect(facts("anthropic/new").contextWindow).toBe(200_000);
    expect(facts("openai/new").contextWindow).toBe(128_000);
    expect(facts("local/new").contextWindow).toBe(32_768);
    expect(facts("local/new", { "local/new": { contextWindow: 8_192 } })).toMatchObject({
      contextWindow: 8_192,
      maxOutputTokens: 8_192,
    });
  });
});

describe("cost", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 0, cacheWriteTokens: 0 };
  test.each([
    ["anthropic/claude-opus-5", usage, 5 + 2.5],
    ["anthropic/claude-opus-5", { ...usage, inputTokens: 0, cacheReadTokens: 1_000_000 }, 0.5 + 2.5],
    ["anthropic/claude-opus-5", { ...usage, inputTokens: 0, cacheWriteTokens: 1_000_000 }, 6.25 + 2.5],
    ["anthropic/claude-sonnet-5-5", { ...usage, outputTokens: 0, inputTokens: 0, cacheReadTokens: 1_000_000 }, 0.1],
    ["anthropic/claude-haiku-5-5", { ...usage, inputTokens: 100_000 }, 0.01 + 0.05],
    ["anthropic/claude-haiku-5-5", { ...usage, inputTokens: 1, cacheReadTokens: 100_000 }, 0.000_000_5 + 0.005 + 0.25],
    ["openai/gpt-5.6-terra", { ...usage, inputTokens: 200_000 }, 0.4 + 1.2],
  ])("%s", (ref, spent, usd) => {
    const cost = costOf(ref, spent);
    expect(cost.known).toBe(true);
    expect(cost.usd).toBeCloseTo(usd, 9);
  });

  test("free for local and scripted, unknown for new models, and set by the settings", () => {
    expect(costOf("local/qwen3", usage)).toEqual({ usd: 0, known: true });
    expect(costOf("scripted/a.json", usage)).toEqual({ usd: 0, known: true });
    expect(costOf("openai/new", usage)).toEqual({ usd: 0, known: false });
    const models = { "local/qwen3": { price: { input: 1, output: 10 } } };
    expect(costOf("local/qwen3", usage, { models })).toEqual({ usd: 2, known: true });
  });
});
