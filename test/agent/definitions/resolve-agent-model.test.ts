import { expect, test } from "vitest";
import { resolveAgentModel } from "../../../src/agent/definitions/index.ts";

const opus = "anthropic/claude-opus-4-8";
const gpt = "openai/gpt-5.6-terra";
const aliases = {
  fast: "anthropic/claude-haiku-4-5",
  far: "openai/gpt-5-mini",
  best: "opus",
  haiku: "openai/gpt-5-nano",
};

test.each([
  [
    "the environment first",
    { override: "haiku", call: "sonnet", definition: "opus" },
    "anthropic/claude-haiku-5-5",
    "environment",
  ],
  ["then the call", { call: "sonnet", definition: "haiku" }, "anthropic/claude-sonnet-5-5", "call"],
  ["then the definition", { definition: "haiku" }, "anthropic/claude-haiku-5-5", "definition"],
  ["then the parent", {}, opus, "parent"],
  [
    "an empty word is nothing said",
    { override: " ", call: "", definition: "haiku" },
    "anthropic/claude-haiku-5-5",
    "definition",
  ],
  ["a call that says inherit", { call: "inherit", definition: "haiku" }, opus, "call"],
  ["a definition that says inherit", { definition: "inherit" }, opus, "definition"],
  ["an environment that says inherit", { override: "inherit", definition: "haiku" }, opus, "environment"],
  ["the parent's own family is the parent's exact model", { definition: "opus" }, opus, "definition"],
  ["a known id", { call: "claude-opus-5" }, "anthropic/claude-opus-5", "call"],
  ["a full name", { call: "anthropic/claude-sonnet-4-6" }, "anthropic/claude-sonnet-4-6", "call"],
  ["a full name of another provider", { definition: "openai/gpt-5.4" }, "openai/gpt-5.4", "definition"],
  ["a script of a definition", { definition: "scripted/a.json" }, "scripted/a.json", "definition"],
])("%s", (_what, said, ref, from) => {
  expect(resolveAgentModel({ parent: opus, ...said })).toEqual({ ok: true, ref, from });
});

test.each([
  ["openai's own family", gpt, "sonnet", gpt],
  ["another of openai's families", gpt, "opus", "openai/gpt-5.6-sol"],
  ["a family with a local parent", "local/qwen", "haiku", "local/qwen"],
  ["a family with a scripted parent", "scripted/a.json", "opus", "scripted/a.json"],
  [
    "an older model of the family",
    "anthropic/claude-haiku-4-5-20251001",
    "haiku",
    "anthropic/claude-haiku-4-5-20251001",
  ],
  ["a model that only sounds like the family", "anthropic/claude-opusculum", "opus", "anthropic/claude-opus-5-5"],
])("an alias stays with the parent's provider: %s", (_what, parent, definition, ref) => {
  expect(resolveAgentModel({ parent, definition })).toMatchObject({ ok: true, ref });
});

test.each([
  ["an alias of the settings", opus, "fast", "anthropic/claude-haiku-4-5"],
  ["one that means the parent's family", opus, "best", opus],
  ["one that means another family", gpt, "best", "openai/gpt-5.6-sol"],
  ["a family that the settings map to another model", opus, "haiku", "anthropic/claude-haiku-5-5"],
  ["a family that the settings say for this provider", gpt, "haiku", "openai/gpt-5-nano"],
  ["one of the parent's provider", gpt, "far", "openai/gpt-5-mini"],
])("%s", (_what, parent, definition, ref) => {
  expect(resolveAgentModel({ parent, definition, overrides: { aliases } })).toMatchObject({ ok: true, ref });
});

test("alias of another provider is refused with a way to fix it", () => {
  expect(resolveAgentModel({ parent: opus, call: "far", overrides: { aliases } })).toEqual({
    ok: false,
    from: "call",
    message: `"far" means openai/gpt-5-mini, which has another provider than ${opus}, and an alias never changes the provider. Name the model in full, or leave it out.`,
  });
});

test("unknown model is an error that lists the known ones", () => {
  const unknown = resolveAgentModel({ parent: opus, call: "opsu", overrides: { aliases } });
  expect(unknown).toMatchObject({ ok: false, from: "call" });
  expect(unknown).toHaveProperty(
    "message",
    expect.stringMatching(
      /^There is no model "opsu"\. Did you mean opus\? Available: inherit \(anthropic\/claude-opus-4-8\), opus, sonnet, haiku, fast, far, best, anthropic\/claude-/,
    ),
  );
  expect(resolveAgentModel({ parent: opus, definition: "mistral/large" })).toMatchObject({
    ok: false,
    from: "definition",
  });
});

test("call cannot name a script as its model, unless it is the parent's model", () => {
  expect(resolveAgentModel({ parent: opus, call: "scripted/evil.ts" })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^A call cannot name a script as its model\./) as string,
  });
  expect(resolveAgentModel({ parent: "scripted/a.json", call: "scripted/a.json" })).toMatchObject({ ok: true });
});
