import { expect, test } from "vitest";
import { runHeadless } from "../../src/headless/index.ts";
import { systemClock } from "../../src/platform/index.ts";
import type { Command } from "../../src/protocol/index.ts";
import { gate, type TeamSession, teamSession } from "../support/team/team-session.ts";

const drive = async (
  { session }: TeamSession,
  commands: AsyncIterable<Command>,
  signal = new AbortController().signal,
) => {
  let errors = "";
  await runHeadless({
    session,
    output: "text",
    verbose: false,
    commands,
    write: () => undefined,
    writeError: (text) => void (errors += text),
    signal,
    backgroundWaitMs: 1_000,
    clock: systemClock,
  });
  return errors;
};

test("interrupt is read during a compaction, and a later prompt comes after it", async () => {
  const begun = gate();
  const team = await teamSession({
    answer: async ({ request }) => {
      if (request.caller.purpose !== "compact") return { text: "an answer" };
      begun.open();
      return { text: "never ends", chunk: 2, fault: { kind: "hang", after: 2 } };
    },
  });
  for (const words of ["one", "two", "three"]) await team.ask(words);
  const errors = await drive(
    team,
    (async function* (): AsyncGenerator<Command> {
      yield { type: "compact" };
      yield { type: "prompt", content: "four" };
      await begun.opened;
      yield { type: "interrupt" };
    })(),
  );
  expect(errors).not.toBe("");
  expect(JSON.stringify(team.asked("lead").at(-1)?.request.messages)).toContain("four");
});

test("change of the mode applies before the prompt that follows it", async () => {
  const team = await teamSession({ answer: () => ({ text: "an answer" }) });
  await drive(
    team,
    (async function* (): AsyncGenerator<Command> {
      yield { type: "set", permissionMode: "plan" };
      yield { type: "set", permissionMode: "default" };
      yield { type: "prompt", content: "go" };
    })(),
  );
  const order = team.envelopes.flatMap(({ event }) =>
    event.type === "agent.changed" ? [event.permissionMode] : event.type === "prompt.admitted" ? ["said"] : [],
  );
  expect(order).toEqual(["plan", "default", "said"]);
});

test("abort does not wait for the next command", async () => {
  const team = await teamSession({ answer: () => ({ text: "an answer" }) });
  const left = new AbortController();
  const silent = new Promise<never>(() => undefined);
  const driving = drive(
    team,
    (async function* (): AsyncGenerator<Command> {
      yield { type: "prompt", content: "go" };
      await silent;
    })(),
    left.signal,
  );
  await team.until((event) => event.type === "agent.idle");
  left.abort();
  await driving;
  await team.until((event) => event.type === "session.closed");
});
