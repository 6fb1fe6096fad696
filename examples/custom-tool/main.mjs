// A custom tool: the model calls it by name, zod validates its input, and nothing is written to disk.
import assert from "node:assert/strict";
import { createSession, defineTool, failedResult, textResult } from "troupe";
import { createScriptedModel, script, systemClock } from "troupe/testing";
import * as z from "zod";

const stock = new Map([
  ["apples", 12],
  ["pears", 0],
]);

const stockTool = defineTool({
  name: "Stock",
  description: "Returns how many of an article are in stock.",
  input: z.strictObject({ article: z.string().min(1).describe("The article, in the plural") }),
  // `read` tools may run in parallel; `none` means that there is no file, command or address to authorize.
  access: "read",
  subject: () => ({ kind: "none" }),
  title: ({ article }) => `Stock ${article}`,
  async execute({ article }) {
    const count = stock.get(article);
    // A failure tells the model what to do next.
    if (count === undefined)
      return failedResult(`There is no article ${article}. Available: ${[...stock.keys()].join(", ")}.`);
    return textResult(`${count} ${article}`);
  },
});

const ask = (article) => ({ tool: "Stock", input: { article }, id: article });
const model = createScriptedModel(
  script({
    version: 1,
    steps: [
      { text: "I look.", calls: [ask("apples"), ask("plums")] },
      { text: "I look again.", calls: [ask("pears"), { tool: "Stock", input: { item: "pears" }, id: "slip" }] },
      (request) => ({ text: `The answer is: ${request.results[0].text}` }),
    ],
  }),
  { clock: systemClock },
);

const session = await createSession({ model, tools: [stockTool], memory: true, env: { PATH: process.env.PATH } });
// Calls that only read run in parallel, so they may settle in any order.
const results = new Map();
const watching = (async () => {
  for await (const { event } of session.events()) {
    if (event.type !== "tool.settled") continue;
    results.set(event.callId, `${event.outcome}: ${event.content[0].text}`);
    console.log(results.get(event.callId));
  }
})();
const reply = await session.ask("How many apples, plums and pears are there?");
await session.close();
await watching;

assert.equal(reply.text, "The answer is: 0 pears");
assert.equal(results.get("apples"), "ok: 12 apples");
assert.equal(results.get("plums"), "failed: There is no article plums. Available: apples, pears.");
assert.equal(results.get("pears"), "ok: 0 pears");
// Input that does not match the schema never reaches the tool: the model learns which field is wrong.
assert.match(results.get("slip"), /^failed: .*`article`/s);
model.assertAllUsed();
console.log(reply.text);
