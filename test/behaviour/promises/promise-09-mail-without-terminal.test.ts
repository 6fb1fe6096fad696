import { expect, test } from "vitest";
import { runHeadless } from "../../../src/headless/index.ts";
import type { Command } from "../../../src/protocol/index.ts";
import { createSession, startSession } from "../../../src/session/index.ts";
import { type Answer, type Ask, createScriptedModel, type ScriptedModel, systemClock } from "../../../src/testing.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { gate } from "../../support/team/team-session.ts";
import { bash, leading, mate, say } from "../../support/team/scripted-team.ts";

/** A lead that answers at once, and two teammates that work on. One of them waits for mail of the other. */
const twoAtWork = () =>
  leading(
    [
      { calls: [mate("scout", "look"), mate("writer", "wait for word from scout")] },
      { text: "started" },
      ({ said }: Ask) => ({ text: said.includes("written it all down") ? "all is done" : "too early" }),
    ],
    (ask): Answer => {
      if (ask.agent === "scout@alpha")
        return [
          { calls: [bash("sleep 0.3")] },
          { calls: [say("writer", "it is in src/parse.ts")] },
          { text: "told writer" },
        ][ask.turn - 1] as Answer;
      if (!ask.said.includes("src/parse.ts")) return { text: "waiting for scout" };
      return ask.result?.tool === "Bash" ? { text: "written it all down" } : { calls: [bash("sleep 0.3")] };
    },
  );

const place = () => {
  const tree = tempTree({ "home/.troupe/settings.json": {}, "project/README.md": "x" });
  const env = { HOME: tree.path("home"), PATH: process.env["PATH"] };
  return { cwd: tree.path("project"), env };
};

const flags = { team: "alpha", permissionMode: "bypassPermissions" } as const;

/** One prompt without a screen, and its result. */
async function headless(model: ScriptedModel, { cwd, env }: ReturnType<typeof place>) {
  const session = await startSession({ cwd, env, flags, asker: "nobody", model });
  async function* commands(): AsyncGenerator<Command> {
    yield { type: "prompt", content: "go" };
  }
  return runHeadless({
    session,
    output: "json",
    progress: "none",
    commands: commands(),
    write: () => undefined,
    writeError: () => undefined,
    signal: new AbortController().signal,
    backgroundWaitMs: 1,
    clock: systemClock,
  });
}

test("promise 09: headless lead reads its teammates' reports and does not exit while they work", async () => {
  const { cwd, env } = place();
  const model = createScriptedModel(twoAtWork(), { clock: systemClock, cwd });
  const result = await headless(model, { cwd, env });
  expect(result).toMatchObject({ result: "all is done" });
});

test("promise 09: task that the lead creates is done before a headless run ends", async () => {
  const { cwd, env } = place();
  const model = createScriptedModel(
    leading(
      [
        { calls: [mate("scout", "wait for tasks")] },
        { text: "started" },
        { calls: [{ tool: "TaskCreate", input: { subject: "look", description: "look around" } }] },
        { text: "task is out" },
        ({ said }: Ask) => ({ text: said.includes("looked around") ? "all is done" : "too early" }),
      ],
      (ask): Answer => {
        if (!ask.said.includes("look around")) return { text: "ready" };
        if (ask.result?.tool === "TaskUpdate") return { text: "looked around" };
        return { calls: [{ tool: "TaskUpdate", input: { taskId: "1", status: "completed" } }] };
      },
    ),
    { clock: systemClock, cwd },
  );
  const result = await headless(model, { cwd, env });
  expect(result).toMatchObject({ result: "all is done" });
});

test("promise 09: library session gets its mail too", async () => {
  const { cwd, env } = place();
  const isOver = gate();
  const model = createScriptedModel(twoAtWork(), { clock: systemClock, cwd });
  const session = await createSession({ cwd, env, team: "alpha", permissionMode: "bypassPermissions", model });
  const follow = (async () => {
    for await (const { event } of session.events())
      if (event.type === "turn.ended" && JSON.stringify(event.parts).includes("all is done")) isOver.open();
  })();
  await session.ask("go");
  await isOver.opened;
  await session.close();
  await follow;
});

test("promise 09: without any client every mail is delivered", async () => {
  const { cwd, env } = place();
  const model = createScriptedModel(twoAtWork(), { clock: systemClock, cwd });
  const session = await startSession({ cwd, env, flags, asker: "nobody", model });
  await session.dispatch({ type: "prompt", content: "go" });
  while (!model.calls.some(({ ask }) => ask.agent === "lead" && ask.said.includes("written it all down")))
    await new Promise((resolve) => setTimeout(resolve, 10));
  await session.close();
  expect(model.calls.filter(({ ask }) => ask.agent === "lead")).toHaveLength(3);
});

test("promise 09: troupe -p --team ends with its teammates' results", async () => {
  const { write, run } = workplace();
  write(
    "s.mjs",
    `export default (ask) => {
  const agent = (name) => ({ tool: "Agent", input: { description: "d", prompt: "work", name } });
  if (ask.agent === "lead") return ask.turn === 1 ? { calls: [agent("anna"), agent("bert")] }
    : { text: ask.turn === 2 ? "started" : "heard " + ["anna@alpha done", "bert@alpha done"].filter((each) => JSON.stringify(ask.request.messages).includes(each)) };
  return ask.result ? { text: ask.agent + " done" } : { calls: [{ tool: "Bash", input: { command: "sleep 0.4" } }] };
};`,
  );
  const { code, stdout, stderr } = await run(["-p", "go", "--team", "alpha", "--model", "scripted/s.mjs", ...bypass]);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "heard anna@alpha done,bert@alpha done\n" });
});
