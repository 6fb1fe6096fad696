import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defineTool, textResult, z } from "../../../src/index.ts";
import { librarySession } from "../../support/session/library-session.ts";
import { leading, mate } from "../../support/team/scripted-team.ts";

const writing = { calls: [{ tool: "Write", input: { file_path: "b.txt", content: "hello" } }] };

test("a tool needs only a name, an input and a function", async () => {
  const dice = defineTool({
    name: "Dice",
    input: z.strictObject({ sides: z.number() }),
    execute: async ({ sides }) => textResult(`rolled ${sides}`),
  });
  const bare = { name: "Bare", input: z.strictObject({}), execute: async () => textResult("bare") };
  const calls = [
    { tool: "Dice", input: { sides: 6 } },
    { tool: "Bare", input: {} },
  ];
  const session = await librarySession(
    ({ results }) => (results.length === 0 ? { calls } : { text: results.map(({ text }) => text).join() }),
    { tools: [dice, bare] },
  );
  const reply = await session.ask("go");
  expect(reply).toMatchObject({ reason: "completed", denials: [] });
  expect(reply.text).toContain("rolled 6");
  expect(reply.text).toContain("bare");
});

test("a hook in code sees the call and denies it, for the lead and its teammates", async () => {
  const seen: unknown[] = [];
  const answer = leading(
    [{ calls: [...writing.calls, mate("scout")] }, { text: "waiting" }, { text: "done" }],
    (ask) => (ask.result ? { text: ask.result.text } : writing),
  );
  const session = await librarySession(async (ask) => (await answer(ask)) ?? { text: "" }, {
    memory: false,
    team: "alpha",
    permissionMode: "bypassPermissions",
    hooks: {
      PreToolUse: [
        {
          matcher: "Write",
          run: async (input) => {
            seen.push(input["tool_input"]);
            return { decision: "block", reason: "nothing is written here" };
          },
        },
      ],
    },
  });
  const reply = await session.ask("go");
  expect(reply.text).toBe("done");
  expect(reply.denials.map(({ tool }) => tool)).toEqual(["Write", "Write"]);
  expect(seen).toEqual([writing.calls[0]?.input, writing.calls[0]?.input]);
});

test("a hook in code that throws denies the call that it guards", async () => {
  const session = await librarySession(
    { steps: [writing, { text: "{{result}}" }] },
    {
      permissionMode: "bypassPermissions",
      hooks: {
        PreToolUse: [
          () => {
            throw new Error("the guard is broken");
          },
        ],
      },
    },
  );
  expect((await session.ask("go")).text).toContain("the guard is broken");
});

test("agents, settings and a system prompt come from code", async () => {
  const session = await librarySession(
    ({ agent, request }) =>
      agent === "lead"
        ? { calls: [{ tool: "Agent", input: { description: "d", prompt: "p", subagent_type: "baker" } }] }
        : { text: JSON.stringify(request?.system ?? "") },
    {
      maxTurns: 1,
      agents: { baker: { description: "bakes", prompt: "You bake bread." } },
      systemPrompt: "You are the head of a kitchen.",
      settings: { permissions: { deny: ["Bash"] } },
      sandbox: "off",
    },
  );
  await session.ask("go");
  const texts: string[] = [];
  for await (const { event } of session.events({ replay: true })) {
    if (event.type === "context.composed") texts.push(event.system.join("\n"));
    if (texts.length === 2) break;
  }
  expect(texts[0]).toMatch(/^You are the head of a kitchen\./);
  expect(texts[1]).toContain("You bake bread.");
});

const Sum = z.strictObject({ sum: z.number() });
const returning = (sum: unknown) => ({ calls: [{ tool: "StructuredOutput", input: { sum } }] });

test("output has the form of the schema", async () => {
  const session = await librarySession(
    { steps: [returning("three"), returning(3), { text: "It is three." }] },
    { outputSchema: Sum },
  );
  const { output, text } = await session.ask("1 + 2?");
  const sum: number | undefined = output?.sum;
  expect({ sum, text }).toEqual({ sum: 3, text: "It is three." });
});

test("a lead that forgets the output is asked for it, and ask rejects without one", async () => {
  const asked: string[] = [];
  const forgetful = await librarySession(
    ({ said, result }) => {
      asked.push(said);
      if (result) return { text: "there it is" };
      return asked.length === 1 ? { text: "three" } : returning(3);
    },
    { outputSchema: Sum },
  );
  expect((await forgetful.ask("1 + 2?")).output).toEqual({ sum: 3 });
  expect(asked[1]).toContain("Call StructuredOutput");
  const stubborn = await librarySession(() => ({ text: "three" }), { outputSchema: Sum });
  await expect(stubborn.ask("1 + 2?")).rejects.toMatchObject({ code: "output" });
});

test("the sandbox and the mode of the program win over the settings of the folder", async () => {
  const session = await librarySession(
    { steps: [writing, { text: "ok" }] },
    { settings: { permissions: { defaultMode: "acceptEdits" } } },
  );
  await session.ask("go");
  expect(readFileSync(join(session.cwd, "b.txt"), "utf8")).toBe("hello");
});
