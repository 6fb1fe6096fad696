import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createConversationWriter } from "../../src/model/conversation-writer.ts";
import type { Message } from "../../src/protocol/index.ts";

const says = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const textOf = ({ parts: [part] }: Message) => (part?.type === "text" ? part.text : "");
/** Leaves out blank messages, as providers do. */
const write = (message: Message) => (textOf(message) === "" ? "" : JSON.stringify(textOf(message)));
const whole = (messages: readonly Message[]) =>
  messages
    .map(write)
    .filter((text) => text !== "")
    .join(",");

test("output equals a full rewrite, whatever was written before", () => {
  const pool = ["", "one", 'two, "three"', "é", "", "x".repeat(300)].map(says);
  const conversation = fc.array(fc.constantFrom(...pool), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(conversation, { maxLength: 12 }), (conversations) => {
      const writer = createConversationWriter(write);
      for (const messages of conversations) expect(writer(messages)).toBe(whole(messages));
    }),
  );
});

test("writes each message of a growing conversation once", () => {
  const seen: string[] = [];
  const writer = createConversationWriter((message) => {
    seen.push(textOf(message));
    return write(message);
  });
  const messages: Message[] = [];
  for (const text of ["a", "b", "c", "d"]) {
    messages.push(says(text));
    expect(writer(messages)).toBe(whole(messages));
  }
  expect(seen).toEqual(["a", "b", "c", "d"]);
});

test("writes messages too long for the cache", () => {
  const writer = createConversationWriter(write);
  const messages = [says("a"), says("b".repeat(4_000_000)), says("c")];
  for (let round = 0; round < 2; round++) expect(writer(messages)).toBe(whole(messages));
});
