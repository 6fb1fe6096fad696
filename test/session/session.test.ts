import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { type CreateSessionOptions, createSession, defineTool, type Envelope, textResult } from "../../src/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../src/testing.ts";

let cwd = "";
let home = "";
const fresh = () => realpathSync(mkdtempSync(join(tmpdir(), "troupe-session-")));
beforeEach(() => {
  cwd = fresh();
  home = fresh();
});
afterEach(() => {
  for (const folder of [cwd, home]) rmSync(folder, { recursive: true, force: true });
});

const open = (script: Omit<Script, "version">, options: CreateSessionOptions = {}) =>
  createSession({
    cwd,
    memory: true,
    model: createScriptedModel({ version: 1, ...script }, { clock: systemClock }),
    env: { PATH: process.env["PATH"], TROUPE_SANDBOX: "off", HOME: home, TROUPE_HOME: join(home, ".troupe") },
    ...options,
  });

const writing = { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "hello" } }] };

describe("session from code", () => {
  test("asks, answers and returns the last text", async () => {
    const session = await open({ steps: [{ text: "one" }, { text: "two" }] });
    expect(await session.ask("go")).toMatchObject({ text: "one", reason: "completed" });
    expect(await session.ask("again")).toMatchObject({ text: "two", reason: "completed" });
    await session.close();
    await expect(session.send("too late")).rejects.toMatchObject({ code: "session_closed" });
  });

  test("events are an async iterator from the opening to the close", async () => {
    const session = await open({ steps: [{ text: "hi" }] });
    const seen: Envelope[] = [];
    const following = (async () => {
      for await (const envelope of session.events()) seen.push(envelope);
    })();
    await session.ask("go");
    await session.close();
    await following;
    expect(seen[0]?.event.type).toBe("session.opened");
    expect(seen.at(-1)?.event.type).toBe("session.closed");
    const replayed: Envelope[] = [];
    const again = await open({ steps: [] });
    for await (const envelope of again.events({ replay: true })) {
      replayed.push(envelope);
      if (replayed.length === 2) break;
    }
    expect(replayed.map(({ seq }) => seq)).toEqual([1, 2]);
    await again.close();
  });

  test("a custom tool gets validated input; one named like a built-in replaces it", async () => {
    const dice = defineTool({
      name: "Dice",
      description: "Rolls.",
      input: z.object({ sides: z.number() }),
      access: "read",
      subject: () => ({ kind: "none" }),
      title: ({ sides }) => `Dice ${sides}`,
      execute: async ({ sides }) => textResult(`rolled ${sides}`),
    });
    const bash = defineTool({
      ...dice,
      subject: () => ({ kind: "none" }),
      name: "Bash",
      input: z.object({ command: z.string() }),
      title: () => "fake",
      execute: async () => textResult("not really"),
    });
    const session = await open(
      {
        steps: [
          {
            calls: [
              { tool: "Dice", input: { sides: 6 } },
              { tool: "Bash", input: { command: "ls" } },
            ],
          },
          { text: "{{result}}" },
        ],
      },
      { tools: [dice, bash] as CreateSessionOptions["tools"] },
    );
    expect((await session.ask("go")).text).toBe("not really");
    await session.close();
  });

  test("a permission question goes to the given function; a session answer covers the next call", async () => {
    let asked = 0;
    const session = await open(
      {
        steps: [
          writing,
          { text: "x" },
          { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "again" } }] },
          { text: "y" },
        ],
      },
      {
        onPermission: async ({ tool, question }) => {
          asked += 1;
          expect({ tool, question }).toMatchObject({ tool: "Write", question: expect.stringContaining("a.txt") });
          return { behavior: "allow", scope: "session" };
        },
      },
    );
    await session.ask("go");
    await session.ask("go");
    expect(asked).toBe(1);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("again");
    await session.close();
  });

  test("a question can be answered by a command and is in the view until then", async () => {
    const session = await open({ steps: [writing, { text: "done" }] });
    const events = session.events()[Symbol.asyncIterator]();
    await session.send("go");
    for (;;) {
      const { value } = (await events.next()) as { value: Envelope };
      if (value.event.type !== "permission.asked") continue;
      expect(session.view().questions.length).toBe(1);
      const { requestId } = value.event;
      expect(
        await session.dispatch({ type: "permission.reply", requestId, answer: { behavior: "allow", scope: "once" } }),
      ).toEqual({ ok: true });
      break;
    }
    expect(await session.settled()).toMatchObject({ reason: "completed" });
    expect(session.view().questions.length).toBe(0);
    await session.close();
  });

  test("an abort stops the turn, and the session stays usable", async () => {
    const session = await open({
      rules: [{ when: { turn: 1 }, answer: { text: "long long", chunk: 2, fault: { kind: "hang", after: 1 } } }],
      steps: [{ text: "fresh" }],
    });
    const asking = session.ask("go");
    for await (const { event } of session.events()) if (event.type === "text.delta") break;
    await session.abort();
    expect(await asking).toMatchObject({ reason: "interrupted" });
    expect(await session.ask("again")).toMatchObject({ text: "fresh", reason: "completed" });
    await session.close();
  });

  test("on files: another process continues the session, only one at a time", async () => {
    const first = await open({ steps: [{ text: "one" }] }, { memory: false });
    await first.ask("go");
    await expect(open({ steps: [] }, { memory: false, resume: first.id })).rejects.toMatchObject({
      code: "session_busy",
    });
    await first.close();
    const second = await open({ steps: [{ text: "{{said}}" }] }, { memory: false, resume: "latest" });
    expect(second.id).toBe(first.id);
    expect(await second.ask("on we go")).toMatchObject({ text: "on we go" });
    expect(second.view().agents.length).toBe(1);
    await second.close();
    await second.close(); // closing twice is allowed
  });

  test("the model can read an oversized result without asking, also after a resume", async () => {
    const big = { calls: [{ tool: "Bash", input: { command: "seq 1 60000" } }] };
    const first = await open(
      { steps: [big, { text: "{{result:/full output is in (\\S+): read/1}}" }] },
      { memory: false, permissionMode: "bypassPermissions" },
    );
    const { text: path } = await first.ask("go");
    await first.close();
    const read = { calls: [{ tool: "Read", input: { file_path: path, offset: 59_999, limit: 1 } }] };
    const second = await open(
      { steps: [read, { text: "{{result}}" }] },
      { memory: false, resume: first.id, permissionMode: "dontAsk" },
    );
    expect((await second.ask("go")).text).toContain("59999");
    await second.close();
  });

  test("instructions of a folder are added when one of its files is first read", async () => {
    const { mkdirSync, writeFileSync } = await import("node:fs");
    mkdirSync(join(cwd, "lib"));
    writeFileSync(join(cwd, "lib", "AGENTS.md"), "Always whisper in lib.");
    writeFileSync(join(cwd, "lib", "x.txt"), "text");
    const read = { calls: [{ tool: "Read", input: { file_path: "lib/x.txt" } }] };
    const session = await open({ steps: [read, { text: "{{result}}" }, read, { text: "{{result}}" }] });
    expect((await session.ask("go")).text).toContain("Always whisper in lib.");
    expect((await session.ask("again")).text).not.toContain("whisper");
    await session.close();
  });
});
