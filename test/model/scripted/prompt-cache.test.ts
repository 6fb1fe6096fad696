import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPromptCache, createScriptedModel, createTestClock, type PromptBlock } from "../../../src/testing.ts";
import type { Message, ModelEvent } from "../../../src/protocol/index.ts";
import { play, requestWith, user } from "../../support/model/scripted-request.ts";

const minutes = 60_000;
const block = (digest: string, tokens: number, marked = false): PromptBlock => ({
  digest,
  tokens,
  ...(marked && { breakpointMs: 5 * minutes }),
});
const seen = (cache: ReturnType<typeof createPromptCache>, blocks: PromptBlock[], model = "m") => {
  const account = cache.look(model, blocks);
  account.store();
  const { tokens } = account;
  return [tokens.cacheReadTokens, tokens.cacheWriteTokens, tokens.inputTokens];
};

const start = () => {
  const clock = createTestClock();
  return { clock, cache: createPromptCache({ clock }) };
};

const growing = (more: number) => [
  block("a", 2000, more === 0),
  ...Array.from({ length: more }, (_, index) => block(`b${index}`, 10, index === more - 1)),
];

const usageOf = (events: ModelEvent[]) => {
  const last = events.at(-1);
  return last?.type === "finished" ? last.answer.usage : undefined;
};

const withPicture = (data: string) =>
  requestWith([{ role: "user", parts: [{ type: "image", mediaType: "image/png", data }] }]);

describe("prompt cache", () => {
  test("writes up to the last breakpoint and reads it back", () => {
    const { cache } = start();
    const prompt = [block("tools", 2000), block("system", 1000, true), block("hello", 50)];
    expect(seen(cache, prompt)).toEqual([0, 3000, 50]);
    expect(seen(cache, prompt)).toEqual([3000, 0, 50]);
  });

  test("a conversation reads what the previous turn wrote and writes the new part", () => {
    const { cache } = start();
    const head = [block("system", 3000, true)];
    expect(seen(cache, [...head, block("u1", 100, true)])).toEqual([0, 3100, 0]);
    expect(seen(cache, [...head, block("u1", 100), block("a1", 70), block("u2", 30, true)])).toEqual([3100, 100, 0]);
  });

  test("a changed prefix loses everything after it and nothing before an earlier breakpoint", () => {
    const { cache } = start();
    seen(cache, [block("system", 3000, true), block("u1", 100), block("u2", 100, true)]);
    expect(seen(cache, [block("system", 3000, true), block("changed", 100), block("u2", 100, true)])).toEqual([
      3000, 200, 0,
    ]);
    expect(seen(cache, [block("changed", 3000, true), block("u1", 100), block("u2", 100, true)])).toEqual([0, 3200, 0]);
  });

  test("short prompts are not cached", () => {
    const { cache } = start();
    expect(seen(cache, [block("a", 1023, true)])).toEqual([0, 0, 1023]);
    expect(seen(cache, [block("a", 1023, true)])).toEqual([0, 0, 1023]);
    expect(seen(cache, [block("a", 1024, true)])).toEqual([0, 1024, 0]);
  });

  test("without a breakpoint there is no cache", () => {
    const { cache } = start();
    expect(seen(cache, [block("a", 5000)])).toEqual([0, 0, 5000]);
    expect(seen(cache, [block("a", 5000)])).toEqual([0, 0, 5000]);
  });

  test("looks back at most twenty blocks, including its own", () => {
    const near = start();
    seen(near.cache, growing(0));
    expect(seen(near.cache, growing(19))).toEqual([2000, 190, 0]);
    const far = start();
    seen(far.cache, growing(0));
    expect(seen(far.cache, growing(20))).toEqual([0, 2200, 0]);
  });

  test("entries live five minutes from their last use", async () => {
    const { cache, clock } = start();
    const prompt = [block("a", 2000, true)];
    seen(cache, prompt);
    await clock.advance(4 * minutes);
    expect(seen(cache, prompt)).toEqual([2000, 0, 0]);
    await clock.advance(4 * minutes);
    expect(seen(cache, prompt)).toEqual([2000, 0, 0]);
    await clock.advance(5 * minutes);
    expect(seen(cache, prompt)).toEqual([0, 2000, 0]);
  });

  test("models do not share entries, and entries exist only once the answer starts", () => {
    const { cache } = start();
    const prompt = [block("a", 2000, true)];
    cache.look("m", prompt);
    expect(seen(cache, prompt)).toEqual([0, 2000, 0]);
    expect(seen(cache, prompt, "other")).toEqual([0, 2000, 0]);
  });

  test("property: nothing is lost or counted twice, and a repeated request reads all that was written", () => {
    const blocks = fc.array(
      fc.record({ digest: fc.constantFrom("a", "b", "c"), tokens: fc.nat(3000), marked: fc.boolean() }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.array(blocks, { maxLength: 8 }), (prompts) => {
        const { cache } = start();
        for (const prompt of prompts.map((it) =>
          it.map(({ digest, tokens, marked }) => block(`${digest}${tokens}`, tokens, marked)),
        )) {
          const total = prompt.reduce((sum, { tokens }) => sum + tokens, 0);
          const [read = 0, written = 0, input = 0] = seen(cache, prompt);
          expect(Math.min(read, written, input)).toBeGreaterThanOrEqual(0);
          expect(read + written + input).toBe(total);
          expect(seen(cache, prompt)).toEqual([read + written, 0, input]);
        }
      }),
    );
  });
});

describe("usage of a scripted model", () => {
  test("32 subagents read their parent's prompt", async () => {
    const clock = createTestClock({ auto: true });
    const model = createScriptedModel(() => ({ text: "done" }), { clock });
    const history: Message[] = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? user(`${index} ${"x".repeat(4000)}`)
        : { role: "assistant", parts: [{ type: "text", text: "ok" }] },
    );
    const parent = [...history, user("split it up")];
    const first = usageOf(await play(model, requestWith(parent)));
    expect(first?.cacheReadTokens).toBe(0);
    expect(first?.cacheWriteTokens).toBeGreaterThan(50_000);
    for (let child = 0; child < 32; child++) {
      const request = requestWith(
        [
          ...parent.slice(0, -1),
          user("split it up"),
          { role: "assistant", parts: [{ type: "text", text: "go" }] },
          user(`part ${child}`),
        ],
        { agentPath: `lead/${child}` },
      );
      expect(usageOf(await play(model, request))).toMatchObject({
        cacheReadTokens: first?.cacheWriteTokens,
        inputTokens: 0,
      });
    }
  });

  test("the cost of an image does not depend on its size, and another image is another prompt", async () => {
    const model = createScriptedModel(() => ({ text: "seen" }), { clock: createTestClock() });
    const usages = [];
    for (const data of ["A".repeat(10), "B".repeat(100_000), "A".repeat(10)])
      usages.push(usageOf(await play(model, withPicture(data))));
    expect(usages.map((usage) => usage?.cacheReadTokens === 0)).toEqual([true, true, false]);
    expect(usages[0]?.cacheWriteTokens).toBe(usages[1]?.cacheWriteTokens);
  });
});
