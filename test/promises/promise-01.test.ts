import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Event, SessionId } from "../../src/protocol/index.ts";
import { createTeam } from "../../src/session/index.ts";
import type { Mailbox, ReceivedMail } from "../../src/team/index.ts";
import { buildProgram } from "../platform/build-program.ts";
import { tempTree, type TempTree } from "../session/temp-tree.ts";
import { logOf, ports } from "./teammates.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("promises/programs/teammate.ts");
});
afterAll(() => program.remove());

const model = `export default (ask) => ({ text: "answer: " + [...ask.said.matchAll(/part-\\d/g)].join(" ") });`;

test("promise 01: stored, injected, acknowledged: a teammate killed before any step of its mail has it in its conversation once and answers once", async () => {
  const whole = await place();
  const last = whole.start();
  await whole.isDone(last);
  const { steps } = await last.end();
  expect(steps).toBeGreaterThan(12);
  let step = 0;
  const killAndGoOn = async () => {
    while (step < steps) {
      const at = ++step;
      const { start, isDone, facts } = await place();
      expect(await start(at).killed, `step ${at}`).toBe("SIGKILL");
      const next = start();
      await isDone(next);
      await next.end();
      const { mail, log, notices } = await facts();
      expect(
        mail.map(({ state }) => state),
        `step ${at}`,
      ).toEqual(["read", "read"]);
      for (const { id } of mail) {
        const promptId = id.replace("mail_", "prm_m");
        const events = log.filter((event) => "promptId" in event && event.promptId === promptId);
        expect(
          events.map(({ type }) => type).filter((type) => type !== "mail.received"),
          `step ${at}`,
        ).toEqual(["prompt.admitted", "prompt.promoted"]);
      }
      const said = notices.flatMap(({ body }) => (body.kind === "idle_notification" ? [body.result ?? ""] : []));
      expect(said.join(" ").match(/part-\d/g), `step ${at}: ${JSON.stringify(said)}`).toEqual(["part-1", "part-2"]);
      const answers = log.flatMap((event) => (event.type === "turn.ended" ? [JSON.stringify(event.parts)] : []));
      expect(answers.join(" ").match(/part-\d/g), `step ${at}`).toEqual(["part-1", "part-2"]);
    }
  };
  await Promise.all(Array.from({ length: 3 }, killAndGoOn));
}, 40_000);

interface Facts {
  readonly mail: readonly ReceivedMail[];
  readonly log: readonly Event[];
  readonly notices: readonly ReceivedMail[];
}

/** A team with one member who has two mails to read, and runs in a process of its own. */
async function place() {
  const tree = tempTree({ "project/s.mjs": model, "home/.troupe/settings.json": {} });
  const home = tree.path("home/.troupe");
  const cwd = tree.path("project");
  const team = await createTeam("alpha", { home, env: {}, cwd });
  onTestFinished(() => team.close());
  const sessionId = ports.createId<SessionId>("ses");
  const { mailbox, record } = team;
  await record.join({
    name: "scout",
    cwd,
    backendType: "tmux",
    model: "scripted/s.mjs",
    sessionId,
    agentType: "general-purpose",
  });
  for (const text of ["part-1", "part-2"]) await mailbox.send({ from: "team-lead", to: "scout", text });
  const facts = async (): Promise<Facts> => ({
    mail: await mailbox.readAll("scout"),
    log: await logOf(tree, sessionId),
    notices: await mailbox.readAll("team-lead"),
  });
  return { facts, start: (step?: number) => start(tree, cwd, step), isDone: (life: Life) => isDone(mailbox, life) };
}

type Life = ReturnType<typeof start>;

function start(tree: TempTree, cwd: string, step?: number) {
  const args = [program.path, cwd, "alpha", "scout", ...(step === undefined ? [] : [String(step)])];
  const env = { PATH: process.env["PATH"], HOME: tree.path("home"), TROUPE_HOME: join(tree.path("home"), ".troupe") };
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  const started = new Promise<void>((resolve) => {
    child.stdout?.on("data", (data: Buffer) => {
      said += data.toString();
      if (said.includes("started")) resolve();
    });
  });
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  return {
    killed: closed.then(([, signal]) => signal),
    async end() {
      await started;
      const steps = said.split("\n").filter((line) => /^\d/.test(line)).length;
      child.kill("SIGTERM");
      expect(await closed, said).toEqual([0, null]);
      return { steps };
    },
  };
}

/** Resolves when all its mail is read and its lead has been told of every part. */
async function isDone(mailbox: Mailbox, life: Life): Promise<void> {
  let isOver = false;
  void life.killed.then(() => (isOver = true));
  for (;;) {
    expect(isOver, "the teammate is gone").toBe(false);
    const unread = await mailbox.readUnread("scout");
    const told = JSON.stringify(await mailbox.readAll("team-lead"));
    if (unread.length === 0 && told.includes("part-1") && told.includes("part-2")) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
