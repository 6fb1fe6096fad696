import { expect, test } from "vitest";
import { runHeadless } from "../../src/headless/index.ts";
import { systemClock } from "../../src/platform/index.ts";
import type { Command } from "../../src/protocol/index.ts";
import { agent, gate, lead, type TeamSession, teamSession } from "../support/team/team-session.ts";

const drive = async (
  { session }: TeamSession,
  commands: AsyncIterable<Command>,
  signal = new AbortController().signal,
  shown: Partial<
    Pick<Parameters<typeof runHeadless>[0], "output" | "progress" | "reminderMs" | "backgroundWaitMs">
  > = {},
) => {
  let errors = "";
  await runHeadless({
    session,
    output: "text",
    progress: "none",
    commands,
    write: () => undefined,
    writeError: (text) => void (errors += text),
    signal,
    backgroundWaitMs: 1_000,
    clock: systemClock,
    ...shown,
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

const work = () =>
  teamSession({
    stored: true,
    answer: lead(
      [
        { calls: [{ tool: "TaskCreate", input: { subject: "dig a hole", description: "deep" } }] },
        { calls: [{ tool: "TaskUpdate", input: { taskId: 1, status: "in_progress" } }] },
        { calls: [agent("look around", { name: "scout" })] },
        { calls: [{ tool: "TaskUpdate", input: { taskId: 1, status: "completed" } }] },
        { text: "over" },
      ],
      ({ turn }) =>
        turn === 1
          ? { calls: [{ tool: "Bash", input: { command: `echo ${"long ".repeat(40)}` } }] }
          : { text: "nothing there" },
    ),
  });

async function* go(): AsyncGenerator<Command> {
  yield { type: "prompt", content: "go" };
}

test("short progress says which agent does what, and which tasks are completed", async () => {
  const lines = (await drive(await work(), go(), undefined, { progress: "short" })).trim().split("\n");
  expect(lines.map((line) => line.replace(/(long ){5,}/, "long … "))).toEqual([
    "troupe: lead: TaskCreate dig a hole",
    "troupe: lead: TaskUpdate #1 in_progress",
    "troupe: lead: Agent general-purpose: do a thing",
    "troupe: scout starts: do a thing",
    "troupe: scout: $ echo long … …",
    "troupe: scout is done",
    "troupe: lead: TaskUpdate #1 completed",
    "troupe: task #1 is completed by lead: dig a hole",
  ]);
});

test.each(["json", "stream-json"] as const)("no progress is shown with the format %s", async (output) => {
  expect(await drive(await work(), go(), undefined, { progress: "short", output })).toBe("");
});

test("model is reminded once of a command that still runs, can stop it, and its next answer is the result", async () => {
  const said: string[] = [];
  const team = await teamSession({
    answer: ({ turn, said: text }) => {
      if (turn === 1) return { calls: [{ tool: "Bash", input: { command: "sleep 600", run_in_background: true } }] };
      said.push(text);
      const id = /- (bg_\w+): sleep 600/.exec(text)?.[1];
      return id === undefined || turn > 3
        ? { text: "the server answers" }
        : { calls: [{ tool: "TaskStop", input: { task_id: id } }] };
    },
  });
  const errors = await drive(team, prompts("try the server"), undefined, { reminderMs: 0 });
  expect(said.filter((text) => text.includes("Your background commands still run"))).toHaveLength(1);
  expect(team.all("background.ended")).toMatchObject([{ status: "killed" }]);
  expect(errors).not.toContain("stopped the background jobs");
});

test("model that answered before its command ended is asked for the whole answer again", async () => {
  const said: string[] = [];
  const team = await teamSession({
    answer: ({ turn, said: text }) => {
      if (turn === 1) return { calls: [{ tool: "Bash", input: { command: "sleep 1", run_in_background: true } }] };
      said.push(text);
      return { text: "all is refactored" };
    },
  });
  await drive(team, prompts("refactor it"), undefined, { reminderMs: 0, backgroundWaitMs: 60_000 });
  expect(said.at(-1)).toMatch(
    /<task-notification>[\s\S]*<\/task-notification>\n<troupe-notice>\nOnly your last answer counts\..*give the whole answer again/,
  );
});

test("command that a reminded model leaves is waited for up to the limit, without a second reminder", async () => {
  const team = await teamSession({
    answer: ({ turn }) =>
      turn === 1
        ? { calls: [{ tool: "Bash", input: { command: "sleep 600", run_in_background: true } }] }
        : { text: "the server runs" },
  });
  const errors = await drive(team, prompts("start the server"), undefined, { reminderMs: 0 });
  expect(team.asked("lead")).toHaveLength(3);
  expect(errors).toContain("stopped the background jobs: sleep 600");
});

async function* prompts(content: string): AsyncGenerator<Command> {
  yield { type: "prompt", content };
}
