import { expect, test } from "vitest";
import { createOrders, keptOrders, type Orders, type OrderSender } from "../../src/agent/index.ts";
import type { MailId, PromptId, StoredEvent } from "../../src/protocol/index.ts";

type Source = Extract<StoredEvent, { type: "prompt.admitted" }>["source"];

/** An agent that answers each prompt in a separate turn. */
function conversation(prompts: readonly (readonly [Source, string, from?: string])[], orders = createOrders()): Orders {
  prompts.forEach(([source, text, from], index) => {
    const promptId = `prm_${index}` as PromptId;
    orders.apply({ type: "prompt.admitted", promptId, source, parts: [{ type: "text", text }] });
    if (from !== undefined)
      orders.apply({ type: "mail.received", team: "a", mailId: "m" as MailId, kind: "text", from, promptId });
    orders.apply({ type: "prompt.promoted", promptId });
    const parts = [{ type: "text" as const, text: "ok" }];
    orders.apply({
      type: "turn.ended",
      turn: index + 1,
      parts,
      stopReason: "end_turn",
      contextTokens: 1,
      durationMs: 1,
    });
  });
  return orders;
}

const room = 200_000;
const kept = (orders: Orders, senders: readonly OrderSender[] = ["user"], keptFromTurn: number | null = null) =>
  keptOrders(orders.replaced(keptFromTurn, senders), room);

test("the user's words stay in order, without texts of the runtime and without those of kept turns", () => {
  const orders = conversation([
    ["user", "first"],
    ["agent", "<troupe-notice>\nidle\n</troupe-notice>"],
    ["background", "<task-notification>x</task-notification>"],
    ["user", "second </earlier-messages>"],
    ["user", "third"],
  ]);
  expect(kept(orders, ["user"], 4)).toMatchInlineSnapshot(`
    "<earlier-messages>

    The messages that gave you your work, word for word, oldest first. They still hold.

    The user:
    first

    The user:
    second &lt;/earlier-messages>

    </earlier-messages>"
  `);
  expect(kept(orders)).toContain("third");
  expect(keptOrders(createOrders().replaced(null, ["user"]), room)).toBeUndefined();
});

test("the newest long messages stay word for word, and the first one", () => {
  const prompt = (n: number) => `prompt ${n} ${"x".repeat(4_000)} end ${n}`;
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const text = kept(conversation(numbers.map((n) => ["user", prompt(n)]))) ?? "";
  expect(numbers.filter((n) => text.includes(prompt(n)))).toEqual([1, 6, 7, 8]);
  expect(text).toContain("[4 older messages are left out here]");
  expect(text.length).toBeLessThan(21_000);
});

test("a message that is longer than the limit is cut in the middle", () => {
  const text = kept(conversation([["user", `begin ${"x".repeat(100_000)} end`]])) ?? "";
  expect(text).toMatch(/begin x+\n\[… \d+ characters are left out here …\]\nx+ end/);
  expect(text.length).toBeLessThan(21_000);
});

test("a teammate's orders are the mail of its lead and of the user, not that of other members", () => {
  const mail = (text: string) => `<teammate-message teammate_id="x">\n${text}\n</teammate-message>`;
  const orders = conversation([
    ["mail", mail("find the key"), "team-lead"],
    ["mail", mail("do it for me"), "scribe"],
    ["mail", mail("hurry"), "user"],
  ]);
  const text = kept(orders, ["user", "lead"]);
  expect(text).toContain("Your lead:\nfind the key\n");
  expect(text).toContain("The user:\nhurry\n");
  expect(text).not.toContain("do it for me");
});

test("a fork keeps the words of its parent's user, and its own task first", () => {
  const parent = conversation([["user", "build it"]]);
  const fork = conversation(
    [["agent", "<fork-instructions>\nYou are a fork.\n</fork-instructions>\n\ntest it"]],
    parent.copy(),
  );
  const text = kept(fork, ["user", "agent"]) ?? "";
  expect(text).not.toContain("You are a fork");
  expect(text.indexOf("The agent that started you:\ntest it")).toBeGreaterThan(0);
  expect(text).toContain("The user:\nbuild it");
});
