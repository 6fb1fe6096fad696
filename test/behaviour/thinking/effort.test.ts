import { onTestFinished, expect, test } from "vitest";
import { type AnswerFunction, startModelServer } from "../../../src/testing.ts";
import { workplace } from "../../support/cli/workplace.ts";
import { environment } from "../../support/session/fork-session.ts";

interface Body {
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort: string };
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly type: string }[] }[];
}

async function open(answer: AnswerFunction) {
  const server = await startModelServer({ script: answer });
  onTestFinished(() => server.close());
  const place = workplace();
  const bodies = () => server.requests.map(({ rawBody }) => JSON.parse(rawBody.toString("utf8")) as Body);
  const run = (model: string, args: readonly string[], input = "") =>
    place.run(["-p", "--model", `anthropic/${model}`, "--permission-mode", "bypassPermissions", ...args], {
      env: environment(place.home, server),
      input,
    });
  return { run, bodies };
}

test("models think by default, and their signed thinking is sent back with the results of their calls", async () => {
  const { run, bodies } = await open(({ result }) =>
    result ? { text: "Done." } : { thinking: "A look first.", calls: [{ tool: "Glob", input: { pattern: "*" } }] },
  );
  expect(await run("claude-sonnet-4-5", ["Look."])).toMatchObject({ code: 0 });
  const [first, second] = bodies();
  expect(first?.thinking).toEqual({ type: "enabled", budget_tokens: 10_240 });
  expect(second?.thinking).toEqual(first?.thinking);
  expect(second?.messages.at(-2)?.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
});

test("the user sets the effort, and a resumed session keeps it unless a flag says otherwise", async () => {
  const { run, bodies } = await open(() => ({ text: "Done." }));
  const commands = ['{"type":"set","effort":"low"}', '{"type":"prompt","content":"One."}'];
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json"];
  expect(await run("claude-sonnet-5-5", stream, `${commands.join("\n")}\n`)).toMatchObject({ code: 0 });
  await run("claude-sonnet-5-5", ["--continue", "Two."]);
  await run("claude-sonnet-5-5", ["--continue", "--effort", "max", "Three."]);
  await run("claude-sonnet-5-5", ["--effort", "off", "Four."]);
  expect(bodies().map((body) => body.output_config?.effort ?? body.thinking)).toEqual(["low", "low", "max", undefined]);
  const wrong = await run("claude-sonnet-5-5", ["--effort", "huge", "Five."]);
  expect(wrong.stderr).toContain("Allowed choices are off, low, medium, high, max");
});
