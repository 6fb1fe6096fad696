import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession, type Envelope, type PermissionAsker } from "../../../src/index.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { maxIdleInMemory } from "../../../src/team/subagents/idle-cache.ts";
import type { Ask } from "../../../src/testing.ts";
import {
  environment,
  firstOfForks,
  forkSession,
  freshFolder,
  isForks,
  mark,
  spawning,
  unmarked,
} from "../../support/session/fork-session.ts";

const resultsOf = (envelopes: readonly Envelope[], name: string) => {
  const calls = new Map(
    envelopes.flatMap(({ event }) => (event.type === "tool.called" ? [[event.callId, event.name] as const] : [])),
  );
  return envelopes.flatMap(({ event }) =>
    event.type === "tool.settled" && calls.get(event.callId) === name ? [event] : [],
  );
};

const saysOf = (ask: Ask) => JSON.stringify(ask.request.messages.at(-1));

describe("resuming a finished fork", () => {
  test("SendMessage: its next request starts with its last one, byte for byte", async () => {
    const { session, server, happened } = await forkSession((ask) => {
      if (isForks(ask)) return { text: ask.said.includes("Once more") ? "Second report." : "First report." };
      if (saysOf(ask).includes("task-notification")) return { text: "Heard." };
      if (ask.said === "Wake it." && ask.results.length === 0)
        return { calls: [{ tool: "SendMessage", input: { to: "helper", message: "Once more." } }] };
      return ask.results.length > 0 ? { text: "Done." } : spawning(1, () => ({ name: "helper" }));
    });
    await session.ask("Divide it.");
    await session.ask("Wake it.");
    await happened(({ event }) => event.type === "background.ended");
    const bodies = server.requests.map(unmarked);
    const [first] = firstOfForks(server.requests);
    const woken = bodies.find((body) => body.includes("Once more.") && body.includes("First report."));
    if (!first || !woken) throw new Error("the fork was not woken");
    expect(woken.startsWith(unmarked(first).slice(0, -2))).toBe(true);
    expect(woken.slice(unmarked(first).length - 2)).toBe(
      ',{"role":"assistant","content":[{"type":"text","text":"First report."}]},{"role":"user","content":[{"type":"text","text":"Once more."}]}]}',
    );
  });
});

test("evicted fork resumes with the same bytes", async () => {
  const many = maxIdleInMemory + 4;
  const { session, server, happened } = await forkSession((ask) => {
    if (isForks(ask)) return { text: ask.said.includes("Once more") ? "Second report." : "First report." };
    if (saysOf(ask).includes("task-notification")) return { text: "Heard." };
    if (ask.said === "Wake it." && ask.results.length === 0)
      return { calls: [{ tool: "SendMessage", input: { to: "first", message: "Once more." } }] };
    if (ask.said === "And others." && ask.results.length === 0) return spawning(many);
    return ask.results.length > 0 ? { text: "Done." } : spawning(1, () => ({ name: "first" }));
  });
  await session.ask("Divide it.");
  await session.ask("And others.");
  await session.ask("Wake it.");
  await happened(({ event }) => event.type === "background.ended");
  const [first] = firstOfForks(server.requests);
  const woken = server.requests
    .map(unmarked)
    .find((body) => body.includes("Once more.") && body.includes("First report."));
  if (!first || !woken) throw new Error("the fork was not woken");
  expect(woken.startsWith(unmarked(first).slice(0, -2))).toBe(true);
});

describe("resuming a fork after the session resumes", () => {
  test("fork resumes with the same bytes, also when its parent was compacted in between", async () => {
    const { session, server, end, cwd, home } = await forkSession((ask) => {
      if (saysOf(ask).includes("is about to be shortened")) return { text: "SUMMARY" };
      if (isForks(ask)) return { text: ask.said.includes("Once more") ? "Second report." : "First report." };
      if (saysOf(ask).includes("task-notification")) return { text: "Heard." };
      if (ask.said.includes("Wake it.") && ask.results.length === 0)
        return { calls: [{ tool: "SendMessage", input: { to: "helper", message: "Once more." } }] };
      return ask.results.length > 0 ? { text: "Done." } : spawning(1, () => ({ name: "helper" }));
    });
    await session.ask("Divide it.");
    expect(await session.dispatch({ type: "compact" })).toEqual({ ok: true });
    await end();

    const later = await createSession({
      cwd,
      model: "anthropic/claude-sonnet-5-5",
      forks: true,
      permissionMode: "bypassPermissions",
      env: environment(home, server),
      resume: "latest",
    });
    await later.ask("Wake it.");
    for await (const { event } of later.events({ replay: true })) if (event.type === "background.ended") break;
    await later.settled();
    await later.close();
    const [first] = firstOfForks(server.requests);
    const woken = server.requests.map(unmarked).find((body) => body.includes("Once more.") && body.includes(mark));
    if (!first || !woken) throw new Error("the fork was not woken");
    expect(woken.startsWith(unmarked(first).slice(0, -2))).toBe(true);
  });
});

describe("no fork of a fork", () => {
  test("fork of a fork is refused, and the tool stays in the list", async () => {
    const { session, end, server } = await forkSession((ask) => {
      if (isForks(ask)) return isRefused(ask) ? { text: "Alone, then." } : spawning(1);
      return ask.results.length > 0 ? { text: "Done." } : spawning(1);
    });
    await session.ask("Divide it.");
    const envelopes = await end();
    const spawned = envelopes.filter(({ event }) => event.type === "agent.spawned");
    expect(spawned).toHaveLength(2);
    const refused = resultsOf(envelopes, "Agent").find(({ outcome }) => outcome === "failed");
    expect(JSON.stringify(refused?.content)).toContain("You are a fork, and a fork cannot start agents.");
    for (const { body } of server.requests) {
      expect((body as { tools: { name: string }[] }).tools.map(({ name }) => name)).toContain("Agent");
    }
  });

  test("refused also after the fork was compacted, before its first answer and later", async () => {
    const { session, end, server } = await forkSession((ask) => {
      const said = JSON.stringify(ask.request.messages);
      if (said.includes("is about to be shortened")) return { text: "SUMMARY" };
      if (!isForks(ask)) return ask.results.length > 0 ? { text: "Done." } : spawning(3);
      if (ask.said.includes("part 0")) {
        if (!said.includes("SUMMARY")) return { fault: { kind: "context_overflow", message: "prompt is too long" } };
        return isRefused(ask) ? { text: "Alone, then." } : spawning(1);
      }
      if (!ask.said.includes("part 1") && !said.includes("SUMMARY")) return { text: "Short." };
      if (isRefused(ask)) return { text: "Alone, then." };
      if (said.includes("SUMMARY")) return spawning(1);
      if (ask.result?.tool !== "Glob") return { calls: [{ tool: "Glob", input: { pattern: "*" } }] };
      return { fault: { kind: "context_overflow", message: "prompt is too long" } };
    });
    expect(await session.ask("Divide it.")).toMatchObject({ reason: "completed", text: "Done." });
    const envelopes = await end();
    expect(envelopes.filter(({ event }) => event.type === "context.compacted")).toHaveLength(2);
    expect(envelopes.filter(({ event }) => event.type === "agent.spawned")).toHaveLength(4);
    expect(resultsOf(envelopes, "Agent").filter(({ outcome }) => outcome === "failed")).toHaveLength(2);
    // The server refuses a call without its result and a result without its call. It refused these two for length only.
    expect(server.requests.filter(({ status }) => status === 400)).toHaveLength(2);
    const after = server.requests.map(unmarked).filter((body) => body.includes("<conversation-summary>"));
    for (const body of after) expect(body).toContain(mark);
  });

  const isRefused = (ask: Ask) => ask.result?.text.includes("You are a fork, and a fork cannot start agents.") === true;

  test("fork cannot message its parent's agents", async () => {
    const { session, end } = await forkSession((ask) => {
      if (isForks(ask))
        return ask.result?.tool === "SendMessage"
          ? { text: "Alone, then." }
          : { calls: [{ tool: "SendMessage", input: { to: "one", message: "Hello." } }] };
      return ask.results.length > 0 ? { text: "Done." } : spawning(1, () => ({ name: "one" }));
    });
    await session.ask("Divide it.");
    const envelopes = await end();
    expect(resultsOf(envelopes, "SendMessage")).toMatchObject([{ outcome: "failed" }]);
  });
});

test("fork in a worktree reads which paths are its own and which its parent's", async () => {
  // Worktrees are created beside the project.
  const cwd = join(freshFolder(), "project");
  mkdirSync(cwd);
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  git("add", ".");
  git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "first");
  const { session, server, end } = await forkSession(
    (ask) => {
      if (isForks(ask))
        return ask.result?.tool === "Bash"
          ? { text: "Done." }
          : { calls: [{ tool: "Bash", input: { command: "pwd" } }] };
      return ask.results.length > 0 ? { text: "Done." } : spawning(1, () => ({ isolation: "worktree" }));
    },
    { cwd },
  );
  await session.ask("Divide it.");
  const envelopes = await end();
  const spawned = envelopes.flatMap(({ event }) => (event.type === "agent.spawned" && event.worktree ? [event] : []));
  const path = spawned[0]?.worktree?.path ?? "";
  expect(path).not.toBe("");
  const [first] = firstOfForks(server.requests);
  const own = JSON.stringify(first?.body);
  expect(own).toContain(`- You work in your own worktree, ${path}. Paths above belong to ${cwd}:`);
  expect(own).toContain("read a file again before you edit it");
  expect(JSON.stringify(resultsOf(envelopes, "Bash")[0]?.content)).toContain(path);
});

describe("bubble: fork's question is asked where its parent's would be", () => {
  test.each<[PermissionMode, { asked: number; written: boolean }]>([
    ["default", { asked: 1, written: true }],
    ["acceptEdits", { asked: 0, written: true }],
    ["bypassPermissions", { asked: 0, written: true }],
    ["plan", { asked: 0, written: false }],
    ["dontAsk", { asked: 0, written: false }],
  ])("%s", async (permissionMode, { asked, written }) => {
    const questions: string[] = [];
    const onPermission: PermissionAsker = async ({ question }) => {
      questions.push(question);
      return { behavior: "allow", scope: "once" };
    };
    const { session, cwd, end } = await forkSession(
      (ask) => {
        if (isForks(ask))
          return ask.result?.tool === "Write"
            ? { text: "Done." }
            : { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "x" } }] };
        return ask.results.length > 0 ? { text: "Done." } : spawning(1);
      },
      { permissionMode, onPermission },
    );
    await session.ask("Divide it.");
    const envelopes = await end();
    expect(questions).toHaveLength(asked);
    expect(existsSync(join(cwd, "a.txt"))).toBe(written);
    const fork = envelopes.find(({ event }) => event.type === "agent.spawned" && event.parent);
    expect(fork?.event).toMatchObject({ permissionMode: "bubble" });
    const asking = envelopes.filter(({ event }) => event.type === "permission.asked");
    expect(asking.map(({ agent }) => agent)).toEqual(Array.from({ length: asked }, () => fork?.agent));
  });
});
