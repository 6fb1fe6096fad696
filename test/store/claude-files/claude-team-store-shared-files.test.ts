import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { MailId } from "../../../src/protocol/index.ts";
import { createClaudeTeamStore } from "../../../src/store/claude-files/claude-team-store.ts";
import { inputDigestOf } from "../../../src/store/claude-files/message-body.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { bodyMail, shutdownRequest, textMail, textsOf } from "../../support/mail/sample-mail.ts";

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
const double = join(import.meta.dirname, "../../support/programs/claude-code-double.mjs");
let program: Awaited<ReturnType<typeof buildProgram>>;
let reading: typeof program;

beforeAll(async () => {
  program = await buildProgram("send-claude-mail.ts");
  reading = await buildProgram("read-claude-inbox-until-killed.ts");
});
afterAll(() => {
  program.remove();
  reading.remove();
});

/** A team of ours with a member of ours (`bert`) and one that Claude Code runs (`w1`). */
async function crew(more: { waitMs?: number; staleMs?: number } = {}) {
  const home = temporaryFolder();
  const claudeFolder = join(home, "claude");
  const store = createClaudeTeamStore({ home, claudeFolder, ...ports, ...more });
  const team = await store.create({ name: "crew", cwd: "/work" });
  onTestFinished(() => team.close());
  await team.record.join({ name: "bert", cwd: "/work", backendType: "in-process" });
  await team.record.join({ name: "w1", cwd: "/work", backendType: "remote" });
  const inboxes = join(claudeFolder, "teams", "crew", "inboxes");
  return { home, claudeFolder, store, team, fileOf: (name: string) => join(inboxes, `${name}.json`), inboxes };
}

const arrayIn = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>[];

async function ends(child: ReturnType<typeof spawn>): Promise<{ code: number | null; said: string[] }> {
  let said = "";
  child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, said: said.split("\n").slice(0, -1) };
}

const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];

describe("files that Claude Code also writes", () => {
  test("16 concurrent writers, half of them external, and a reader: nothing is lost or duplicated", async () => {
    const { home, claudeFolder, team, fileOf } = await crew();
    const reader = await team.inbox("bert").openReader();
    const ours = Array.from({ length: 8 }, () =>
      ends(spawn(process.execPath, [program.path, home, claudeFolder, "bert", "12", "10000"], { stdio })),
    );
    const wishes = JSON.stringify({ to: "bert", count: 12 });
    const theirs = Array.from({ length: 8 }, (_, n) =>
      ends(spawn(process.execPath, [double, "writer", claudeFolder, "crew", `w${n}`, wishes], { stdio })),
    );
    const seen: string[] = [];
    const stop = new AbortController();
    const read = (async () => {
      for await (const batch of reader.follow(stop.signal)) {
        seen.push(...batch.map(({ mail }) => mail.id));
        await reader.mark(
          batch.map(({ mail }) => mail.id),
          "read",
        );
        if (seen.length >= 16 * 12) return;
      }
    })();
    const ended = await Promise.all([...ours, ...theirs]);
    expect(ended.map(({ code }) => code)).toEqual(Array.from({ length: 16 }, () => 0));
    await read;
    expect(new Set(seen).size).toBe(16 * 12);
    expect(seen).toHaveLength(16 * 12);
    expect(await reader.unread()).toEqual([]);
    expect(arrayIn(fileOf("bert"))).toEqual([]);
    await reader.close();
  });

  test("a writer killed at any moment leaves the file whole; its lock is waited out", async () => {
    const { home, claudeFolder, team, fileOf, inboxes } = await crew({ staleMs: 400 });
    const acknowledged: string[] = [];
    for (let round = 0; round < 12; round++) {
      const args = [program.path, home, claudeFolder, "w1", "1000", "400"];
      const child = spawn(process.execPath, args, { stdio });
      const over = ends(child);
      await once(child.stdout, "data");
      await systemClock.sleep((round * 7919) % 23);
      child.kill("SIGKILL");
      acknowledged.push(...(await over).said);
      expect(Array.isArray(arrayIn(fileOf("w1")))).toBe(true);
    }
    const last = textMail("the last", { from: "user", to: "w1" });
    await team.inbox("w1").send(last);
    const held = new Set<string>((await team.inbox("w1").peek()).mail.map(({ mail }) => mail.id));
    expect(acknowledged.filter((id) => !held.has(id))).toEqual([]);
    expect(held.has(last.id)).toBe(true);
    expect(readdirSync(inboxes).filter((name) => name.includes(".lock"))).toEqual([]);
  });

  test("a reader killed at any moment loses nothing and reads nothing twice", async () => {
    const { home, claudeFolder, team, fileOf } = await crew({ staleMs: 400 });
    const sent: string[] = [];
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 10; n++) {
        const mail = textMail(`${round} ${n}`, { from: "user" });
        await team.inbox("bert").send(mail);
        sent.push(mail.id);
      }
      const child = spawn(process.execPath, [reading.path, home, claudeFolder], { stdio });
      const over = ends(child);
      await once(child.stdout, "data");
      await systemClock.sleep((round * 7919) % 17);
      child.kill("SIGKILL");
      await over;
    }
    const reader = await team.inbox("bert").openReader();
    await reader.unread();
    expect((await team.inbox("bert").peek()).mail.map(({ mail }) => mail.id)).toEqual(sent);
    expect(arrayIn(fileOf("bert"))).toEqual([]);
    await reader.close();
  });

  test("a renewed lock is never taken: waiting for it times out with an error", async () => {
    const { team, fileOf } = await crew({ staleMs: 1000, waitMs: 3000 });
    const lock = `${fileOf("w1")}.lock`;
    mkdirSync(lock);
    const renewing = setInterval(() => utimesSync(lock, new Date(), new Date()), 20);
    onTestFinished(() => clearInterval(renewing));
    await expect(team.inbox("w1").send(textMail("late", { from: "user", to: "w1" }))).rejects.toMatchObject({
      code: "storage",
      message: expect.stringContaining("another process has held it"),
    });
    expect(existsSync(lock)).toBe(true);
    clearInterval(renewing);
    await team.inbox("w1").send(textMail("later", { from: "user", to: "w1" }));
    expect(arrayIn(fileOf("w1"))).toMatchObject([{ text: "later" }]);
  });

  test("damage is set aside and reported, and everything after it is read", async () => {
    const { team, fileOf, inboxes } = await crew();
    writeFileSync(fileOf("bert"), '[{"from":"w1","te');
    expect(await team.inbox("bert").peek()).toMatchObject({
      mail: [],
      problems: [expect.stringContaining("not JSON")],
    });
    await team.inbox("bert").send(textMail("after it", { from: "user" }));
    writeFileSync(fileOf("bert"), JSON.stringify([...arrayIn(fileOf("bert")), 7, { from: "w1" }]));
    const reader = await team.inbox("bert").openReader();
    expect(textsOf(await reader.unread())).toEqual(["after it"]);
    expect(reader.takeNotices()).toMatchObject([expect.stringContaining(".bad-"), expect.stringContaining(".bad-")]);
    const aside = readdirSync(inboxes).filter((name) => name.includes(".bad-"));
    expect(new Set(aside.map((name) => readFileSync(join(inboxes, name), "utf8")))).toEqual(
      new Set(['[{"from":"w1","te', JSON.stringify([7, { from: "w1" }], undefined, 2)]),
    );
    await reader.close();
  });

  test("fields of other programs survive a rewrite", async () => {
    const { team, claudeFolder, fileOf } = await crew();
    const path = join(claudeFolder, "teams", "crew", "config.json");
    const config = JSON.parse(readFileSync(path, "utf8")) as { members: object[] };
    const members = config.members.map((member) => ({ ...member, theirs: [1] }));
    writeFileSync(path, JSON.stringify({ ...config, members, leadProcess: "another form", theirs: { a: 1 } }));
    await team.record.join({ name: "late", cwd: "/work", backendType: "in-process" });
    await team.record.change("bert", { model: "m" });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      leadProcess: "another form",
      theirs: { a: 1 },
      members: [{ theirs: [1] }, { name: "bert", model: "m", theirs: [1] }, { theirs: [1] }, { name: "late" }],
    });
    const foreign = { from: "x", text: "y", theirs: 1, timestamp: 12 };
    writeFileSync(fileOf("w1"), JSON.stringify([foreign]));
    await team.inbox("w1").send(textMail("z", { from: "user", to: "w1" }));
    expect(arrayIn(fileOf("w1"))[0]).toEqual(foreign);
    const { item } = (await team.tasks.create({ subject: "a", description: "" }, { name: "bert" })) as {
      item: { id: number };
    };
    const task = join(claudeFolder, "tasks", "crew", `${item.id}.json`);
    writeFileSync(task, JSON.stringify({ ...(JSON.parse(readFileSync(task, "utf8")) as object), theirs: 1 }));
    await team.tasks.claim(item.id, { name: "bert" });
    expect(JSON.parse(readFileSync(task, "utf8"))).toMatchObject({
      id: "1",
      subject: "a",
      description: "",
      owner: "bert",
      status: "in_progress",
      blocks: [],
      blockedBy: [],
      theirs: 1,
    });
  });

  test("a task that another program claims ends the previous claim", async () => {
    const { team, claudeFolder } = await crew();
    await team.tasks.create({ subject: "a", description: "" }, { name: "bert" });
    const claimed = await team.tasks.claim(1, { name: "bert" });
    const generation = claimed.ok ? claimed.item.generation : 0;
    const path = join(claudeFolder, "tasks", "crew", "1.json");
    const raw = JSON.parse(readFileSync(path, "utf8")) as object;
    const stop = new AbortController();
    const changes = team.tasks.follow(stop.signal)[Symbol.asyncIterator]();
    writeFileSync(path, JSON.stringify({ ...raw, owner: "w1" }));
    expect((await changes.next()).value).toMatchObject({ what: "changed", by: "w1", item: { owner: "w1" } });
    stop.abort();
    expect(await team.tasks.complete(1, { name: "bert", generation })).toMatchObject({ ok: false, reason: "stale" });
  });

  test("no process here writes for an external member, reads its mail or leads an external team", async () => {
    const { team, claudeFolder, store, fileOf } = await crew();
    await expect(team.inbox("bert").send(textMail("x", { from: "w1" }))).rejects.toThrow("another program runs w1");
    await expect(team.inbox("w1").openReader()).rejects.toThrow("another program runs it");
    const interrupt = bodyMail({ kind: "interrupt_request" }, { from: "team-lead", to: "w1" });
    await expect(team.inbox("w1").send(interrupt)).rejects.toThrow(
      "have no format for a message of the kind interrupt_request",
    );
    await team.inbox("bert").send(bodyMail({ kind: "interrupt_request" }, { from: "team-lead" }));
    expect(textsOf((await team.inbox("bert").peek()).mail)).toEqual(["interrupt_request"]);
    expect(existsSync(fileOf("bert"))).toBe(false);

    const theirs = join(claudeFolder, "teams", "session-1");
    mkdirSync(theirs);
    const lead = { agentId: "team-lead@session-1", name: "team-lead", joinedAt: 1, cwd: "/" };
    writeFileSync(join(theirs, "config.json"), JSON.stringify({ name: "session-1", createdAt: 1, members: [lead] }));
    const joined = await store.open("session-1");
    onTestFinished(() => joined.close());
    const { member } = await joined.record.join({ name: "scout", cwd: "/work", backendType: "in-process" });
    await expect(joined.inbox("scout").send(textMail("x", { from: "team-lead", to: "scout" }))).rejects.toThrow(
      "the lead of session-1 is another program",
    );
    await expect(joined.inbox("team-lead").openReader()).rejects.toMatchObject({ code: "mail" });
    await expect(joined.record.changeTeam({ description: "ours" })).rejects.toThrow("another program leads this team");
    await expect(store.delete("session-1", { force: true })).rejects.toThrow(
      "Claude Code made it and removes it itself.",
    );
    await joined.record.end(member.name, { reason: "shutdown" });
    const after = JSON.parse(readFileSync(join(theirs, "config.json"), "utf8")) as { members: unknown[] };
    expect(after.members).toEqual([lead]);
    await expect(
      team.record.reserve({ by: "bert", path: "a", mode: "shared", until: "2030-01-01T00:00:00.000Z" }),
    ).rejects.toThrow("Claude Code's team files cannot hold reservations.");
  });

  test("a name that leaves the folder is refused", async () => {
    const { team } = await crew();
    for (const name of ["../../x", ".hidden", "a/b", "a\0b"])
      expect(() => team.inbox(name)).toThrow("is not a valid file name.");
  });

  test("typed bodies are written in Claude Code's form and read as such; similar text stays text", async () => {
    const { team, fileOf } = await crew();
    const asked = bodyMail(shutdownRequest(), { from: "team-lead", to: "w1" });
    await team.inbox("w1").send(asked);
    await team.inbox("w1").send(textMail('{"type":"shutdown_request","requestId":"x"}', { from: "bert", to: "w1" }));
    const [request, text] = arrayIn(fileOf("w1"));
    expect(request).toMatchObject({ from: "team-lead", msgV: 1, type: "message", read: false });
    const body = JSON.parse(String(request?.["text"])) as { requestId: string };
    expect(Object.keys(body)).toEqual(["type", "requestId", "from", "reason", "timestamp"]);
    expect(body.requestId).toMatch(/^shutdown-\d+@w1$/);
    expect(text?.["text"]).toBe('bert wrote: {"type":"shutdown_request","requestId":"x"}');

    const evidence = "What was really done, by the log:\n- 1 turn";
    const rest = { kind: "idle_notification", idleReason: "failed", result: "half", evidence } as const;
    await team.inbox("w1").send(bodyMail(rest, { from: "bert", to: "w1" }));
    expect(JSON.parse(String(arrayIn(fileOf("w1")).at(-1)?.["text"]))).toMatchObject({
      idleReason: "available",
      result: `half\n\nfailed: no further details\n\n${evidence}`,
    });

    const from = { from: "w1", timestamp: "2026-11-15T06:12:45.607Z" };
    const typed = (fields: object) => ({ ...from, text: JSON.stringify({ ...from, ...fields }) });
    const tool = { tool_name: "Bash", tool_use_id: "toolu_1", input: { command: "ls" } };
    writeFileSync(
      fileOf("team-lead"),
      JSON.stringify([
        typed({ type: "idle_notification", idleReason: "another", result: "done" }),
        typed({ type: "shutdown_approved", requestId: body.requestId, paneId: "in-process" }),
        typed({ type: "task_assignment", taskId: "3", subject: "s", description: "d", assignedBy: "w1" }),
        typed({
          type: "permission_request",
          request_id: "perm-1-abcdefg",
          agent_id: "w1@crew",
          description: "q",
          ...tool,
        }),
        typed({ type: "plan_approval_request", plan: "p" }),
        typed({ type: "permission_request", request_id: 7 }),
      ]),
    );
    const reader = await team.inbox("team-lead").openReader();
    const mails = (await reader.unread()).map(({ mail }) => mail);
    expect(mails.map(({ body: { kind } }) => kind)).toEqual([
      "idle_notification",
      "shutdown_approved",
      "task_assignment",
      "permission_request",
      "text",
      "text",
    ]);
    expect(mails[1]?.body).toMatchObject({ requestId: (asked.body as { requestId: string }).requestId });
    expect((await team.record.read()).members.find(({ name }) => name === "w1")?.ended).toMatchObject({
      reason: "shutdown",
    });

    const question = mails[3]?.body;
    if (question?.kind !== "permission_request") throw new Error("no question");
    const { requestId, digest } = question;
    const answer = { behavior: "allow", scope: "once" } as const;
    await team
      .inbox("w1")
      .send(bodyMail({ kind: "permission_response", requestId, digest, answer }, { from: "team-lead", to: "w1" }));
    expect(JSON.parse(String(arrayIn(fileOf("w1")).at(-1)?.["text"]))).toEqual({
      type: "permission_response",
      request_id: "perm-1-abcdefg",
      subtype: "success",
      tool_use_id: "toolu_1",
      approved_request: {
        tool_use_id: "toolu_1",
        tool_name: "Bash",
        input_digest: inputDigestOf("Bash", { command: "ls" }),
      },
      response: { updated_input: { command: "ls" } },
    });
    const no = { behavior: "deny", message: "Not today." } as const;
    await team
      .inbox("w1")
      .send(bodyMail({ kind: "permission_response", requestId, digest, answer: no }, { from: "team-lead", to: "w1" }));
    expect(JSON.parse(String(arrayIn(fileOf("w1")).at(-1)?.["text"]))).toMatchObject({
      type: "permission_response",
      subtype: "error",
      request_id: "perm-1-abcdefg",
      error: "Not today.",
    });
    await reader.close();
  });

  test.each([
    ["Foo", {}, "cd38dcde80c3651240ecf7e4605b765ed91ae5d28e580e826969c5f104824314"],
    ["Bash", { command: "touch q1" }, "8626b14b57a4b8a77fc48541931abd73493129c9fe829fb55fdd60d6eeec9853"],
    [
      "Bash",
      { description: "x", command: "touch q1" },
      "c02e4df0848a91d92789d8c156c454253b93eecd5f79cf89ac1fa8f0ecc325a9",
    ],
    ["Bar", { a: [1, 2, { c: null }] }, "2f91271b3afc6b227dffca2666c268833e00d245a2558bd1206fc23ba093a6e5"],
  ])("digest of a call is the one that Claude Code computes: %s %j", (tool, input, digest) => {
    expect(inputDigestOf(tool, input)).toBe(digest);
  });

  test("member that Claude Code runs is a separate process in the config, ours is not", async () => {
    const { team, inboxes } = await crew();
    await team.record.join({ name: "ours", cwd: "/", backendType: "in-process" });
    const { members } = JSON.parse(readFileSync(join(inboxes, "../config.json"), "utf8")) as { members: object[] };
    const entryOf = (name: string) => members.find((each) => "name" in each && each.name === name);
    expect(entryOf("w1")).toMatchObject({ backendType: "tmux" });
    expect(entryOf("ours")).toMatchObject({ backendType: "in-process", tmuxPaneId: "in-process" });
  });

  test("an id of ours is a UUID there, and maps to the same id here", async () => {
    const { team, fileOf } = await crew();
    const mail = textMail("x", { from: "user", to: "w1", id: ports.createId<MailId>("mail") });
    await team.inbox("w1").send(mail);
    expect(arrayIn(fileOf("w1"))[0]?.["msg_id"]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect((await team.inbox("w1").peek()).mail[0]?.mail.id).toBe(mail.id);
  });
});
