import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { SessionId } from "../../../src/protocol/index.ts";
import { createTeam } from "../../../src/session/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace } from "../../support/processes/required-tools.ts";
import { type RecordedCall, readCalls, straceArguments } from "../../support/disk/recorded-system-calls.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { comesTo } from "../../support/mail/session-mailbox.ts";
import { ports } from "../../support/team/scripted-team.ts";

test("promise 01: mail is marked as read only after its log entry survives a power cut", async () => {
  needStrace();
  const program = await buildProgram("run-teammate.ts");
  onTestFinished(() => program.remove());
  const tree = tempTree({
    "project/s.mjs": `export default () => ({ text: "ok" });`,
    "home/.troupe/settings.json": {},
  });
  const home = tree.path("home/.troupe");
  const cwd = tree.path("project");
  const team = await createTeam("alpha", { home, env: {}, cwd });
  onTestFinished(() => team.close());
  const sessionId = ports.createId<SessionId>("ses");
  const member = { name: "scout", cwd, backendType: "tmux", agentType: "general-purpose" } as const;
  await team.record.join({ ...member, model: "scripted/s.mjs", sessionId });
  const send = (text: string) => team.mailbox.send({ from: "team-lead", to: "scout", text });
  const ids = [(await send("first")).id, (await send("second")).id];
  const inbox = tree.path("home/.troupe/teams/alpha/inboxes/scout.jsonl");
  expect(existsSync(inbox)).toBe(true);

  const trace = tree.path("trace");
  const env = { PATH: process.env["PATH"], HOME: tree.path("home"), TROUPE_HOME: home };
  const command = [...straceArguments(trace), process.execPath, program.path, cwd, "alpha", "scout"];
  const child = spawn("strace", command, { env, stdio: "ignore", detached: true });
  const gone = once(child, "exit");
  onTestFinished(() => killGroup(child.pid));
  for (const id of ids) await comesTo(team.mailbox, { id, to: "scout", state: "read" });
  ids.push((await send("third, to one that waits")).id);
  for (const id of ids) await comesTo(team.mailbox, { id, to: "scout", state: "read" });
  killGroup(child.pid);
  await gone;

  const calls = readCalls(trace, tree.path("home/.troupe/projects"), [inbox]);
  for (const id of ids) {
    const said = calls.findIndex((call) => holds(call, `"prompt.promoted"`, id.replace("mail_", "prm_m")));
    const marked = calls.findIndex((call) => holds(call, `{"mark":"read"`, id));
    const log = calls[said]?.type === "appended" ? calls[said].file : undefined;
    expect(log).toBeGreaterThan(1); // not the inbox
    expect(marked).toBeGreaterThan(said);
    const between = calls.slice(said, marked);
    expect(between.some((call) => call.type === "synced" && call.what === log && call.before > said)).toBe(true);
  }
});

/** True if the call wrote a line with all of these words. */
const holds = (call: RecordedCall, ...words: readonly string[]) =>
  call.type === "appended" &&
  call.bytes
    .toString()
    .split("\n")
    .some((line) => words.every((word) => line.includes(word)));

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
