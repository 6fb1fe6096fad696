import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Event, SessionId } from "../../../src/protocol/index.ts";
import { createTeam, runTeammate } from "../../../src/session/index.ts";
import type { Mailbox, ReceivedMail } from "../../../src/team/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { logOf, ports } from "../../support/team/scripted-team.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("run-teammate.ts");
});
afterAll(() => program.remove());

const model = `export default (ask) => ({ text: "answer: " + [...ask.said.matchAll(/part-\\d/g)].join(" ") });`;

test("promise 01: teammate killed at any step of its mail reads it once and answers once", async () => {
  const whole = await place();
  await whole.liveOn();
  let step = 0;
  let isWhole = false;
  const killAndGoOn = async () => {
    while (!isWhole) {
      const at = ++step;
      const { liveUntil, liveOn, facts } = await place();
      isWhole ||= (await liveUntil(at)) === "lived";
      await liveOn();
      const { mail, log, notices } = await facts();
      const of = `killed before step ${at}`;
      expect(states(mail), of).toEqual(["read", "read"]);
      for (const { id } of mail) {
        const promptId = id.replace("mail_", "prm_m");
        const said = log.filter((event) => event.type.startsWith("prompt.") && "promptId" in event);
        const steps = said.filter((event) => "promptId" in event && event.promptId === promptId);
        expect(steps, of).toMatchObject([{ type: "prompt.admitted" }, { type: "prompt.promoted" }]);
      }
      const told = notices.flatMap(({ body }) => (body.kind === "idle_notification" ? [body.result ?? ""] : []));
      expect(partsIn(told), `${of}: ${JSON.stringify(told)}`).toEqual(["part-1", "part-2"]);
      const answers = log.flatMap((event) => (event.type === "turn.ended" ? [JSON.stringify(event.parts)] : []));
      expect(partsIn(answers), of).toEqual(["part-1", "part-2"]);
    }
  };
  await Promise.all([killAndGoOn(), killAndGoOn()]);
  expect(step).toBeGreaterThan(12);
});

const states = (mails: readonly ReceivedMail[]) => mails.map(({ state }) => state);
const partsIn = (texts: readonly string[]) => texts.join(" ").match(/part-\d/g);

interface Facts {
  readonly mail: readonly ReceivedMail[];
  readonly log: readonly Event[];
  readonly notices: readonly ReceivedMail[];
}

/** A team with one member that has two mails to read and runs in its own process. */
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
  const env = { PATH: process.env["PATH"], HOME: tree.path("home"), TROUPE_HOME: home };
  return {
    facts,
    /** Runs the member in its own process, which is killed instead of taking this step. */
    async liveUntil(step: number): Promise<"killed" | "lived"> {
      const args = [program.path, cwd, "alpha", "scout", String(step)];
      const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const closed = (once(child, "close") as Promise<[number | null, string | null]>).then(([code, signal]) => {
        expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
        return "killed" as const;
      });
      const first = await Promise.race([closed, isDone(mailbox).then(() => "lived" as const)]);
      child.kill("SIGKILL");
      await closed;
      return first;
    },
    /** Runs the member again until all its mail is read and its lead has every part of the report. */
    async liveOn() {
      const teammate = await runTeammate({ team: "alpha", name: "scout", cwd, env });
      await isDone(mailbox);
      await teammate.stop("rest");
    },
  };
}

async function isDone(mailbox: Mailbox): Promise<void> {
  for (;;) {
    const unread = await mailbox.readUnread("scout");
    const told = JSON.stringify(await mailbox.readAll("team-lead"));
    if (unread.length === 0 && told.includes("part-1") && told.includes("part-2")) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
