import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { remoteConduct, stillElsewhere, takenOver } from "../../src/agent/index.ts";
import type { AgentPath, Envelope } from "../../src/protocol/index.ts";
import { runWorker, type Session, startSession } from "../../src/session/index.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";
import { startNats } from "../store/nats/nats-server.ts";

const script = `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 60000 } }] });
const part = (n) => ({ tool: "Agent", input: { description: "a part", prompt: "a part", subagent_type: "general-purpose", name: "part" + n, isolation: "remote" } });
export default (ask) => {
  if (ask.agent === "lead" && ask.said === "many")
    return ask.results.length === 0 ? { text: "", calls: [1, 2, 3, 4, 5, 6].map(part) } : { text: "lead heard: " + ask.results.map(({ text }) => text).join() };
  if (ask.said === "a part") return ask.turn === 1 ? bash("echo $RANDOM > part.txt") : { text: "a part is done" };
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write it", subagent_type: "general-purpose", name: "writer", isolation: "remote" } }] }
      : { text: "lead heard: " + ask.result.text };
  if (ask.said === "that is enough") return { text: "enough it is" };
  if (ask.turn === 1) return bash("echo one > one.txt && git add -A && git commit -qm one");
  return bash("while test -e WAIT; do sleep 0.05; done");
};`;

interface Place {
  readonly session: Session;
  readonly wait: string;
  readonly said: readonly string[];
  /** Resolves with the first such envelope, seen already or still to come. */
  saw(is: (envelope: Envelope) => boolean): Promise<Envelope>;
  /** The last words of the lead. */
  answer(): string;
  git(...args: string[]): string;
}

/** A lead and a worker, each with a home of its own, in this process. */
async function place(flags: { maxTokens?: number } = {}): Promise<Place> {
  const server = await startNats();
  const [cwd, leadHome, workerHome] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const wait = join(leadHome, "wait");
  writeFileSync(wait, "");
  writeFileSync(join(leadHome, "script.mjs"), script.replace("WAIT", wait));
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "first");
  const envOf = (home: string) => ({
    PATH: process.env["PATH"],
    HOME: home,
    TROUPE_HOME: join(home, ".troupe"),
    TROUPE_BUS: server.url,
  });
  const stop = new AbortController();
  const said: string[] = [];
  const worker = runWorker({
    cwd: workerHome,
    env: envOf(workerHome),
    name: "near",
    labels: [],
    maxAgents: 2,
    permissionMode: "bypassPermissions",
    signal: stop.signal,
    leaving: stop.signal,
    say: (line) => void said.push(line),
  });
  const session = await startSession({
    cwd,
    env: envOf(leadHome),
    flags: {
      model: `scripted/${join(leadHome, "script.mjs")}`,
      permissionMode: "bypassPermissions",
      settings: JSON.stringify({ bus: { leaseMs: 2000 } }),
      ...flags,
    },
    asker: "nobody",
    isObservable: false,
  });
  const seen: Envelope[] = [];
  const lookers = new Set<() => void>();
  const reading = (async () => {
    for await (const envelope of session.events()) {
      seen.push(envelope);
      for (const look of lookers) look();
    }
  })();
  onTestFinished(async () => {
    rmSync(wait, { force: true });
    await session.close();
    await reading;
    stop.abort();
    await worker;
    await server.close();
  });
  const saw: Place["saw"] = (is) =>
    new Promise((resolve) => {
      const look = () => {
        const found = seen.find(is);
        if (!found) return;
        lookers.delete(look);
        resolve(found);
      };
      lookers.add(look);
      look();
    });
  const answer = () =>
    seen
      .flatMap(({ event }) => (event.type === "turn.ended" ? event.parts : []))
      .flatMap((part) => (part.type === "text" ? [part.text] : []))
      .findLast((text) => text.startsWith("lead heard")) ?? "";
  return { session, wait, said, saw, answer, git };
}

const waits = ({ event }: Envelope) => event.type === "tool.called" && event.title.includes("while test");
const writer = "lead/writer" as AgentPath;
test("what is said to it on its way is heard there; it ends, and cannot be sent on", async () => {
  const { session, saw, wait, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "go" });
  await saw(waits);
  expect(await session.dispatch({ type: "prompt", agent: writer, content: "that is enough" })).toEqual({ ok: true });
  rmSync(wait);
  await session.settled();
  expect(answer()).toContain("enough it is");
  expect(answer()).toContain("on the branch troupe/agent-");
  expect(git("log", "--format=%an: %s", "--branches", "^main")).toBe("Troupe: one\n");
  await session.dispatch({ type: "prompt", agent: writer, content: "go on" });
  const told = await saw(({ event }) => event.type === "prompt.admitted" && event.source === "background");
  expect(JSON.stringify(told.event)).toContain("does one task");
});

test("interrupted here, it stops there, and what it had committed is a branch", async () => {
  const { session, saw, said, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "go" });
  await saw(waits);
  await session.dispatch({ type: "interrupt", agent: writer });
  await session.settled();
  expect(answer()).toContain("the user interrupted it");
  expect(answer()).toContain("on the branch troupe/agent-");
  expect(git("log", "--format=%s", "--branches", "^main")).toBe("one\n");
  expect(said.at(-1)).toMatch(/^lead\/writer \(job_\w+\) interrupted$/);
});

test("what it uses is on the lead's ledger, and what is left is its limit", async () => {
  const { session, wait, saw } = await place({ maxTokens: 9000 });
  rmSync(wait);
  await session.dispatch({ type: "prompt", content: "go" });
  expect(await session.settled()).toMatchObject({ reason: "limit", detail: expect.stringContaining("9000 tokens") });
  const { event } = await saw(
    (each) => each.event.type === "tool.settled" && each.event.callId.startsWith("call_lead_"),
  );
  expect(JSON.stringify(event)).toContain("tokens is used up");
});

test("six at once on a worker that takes two: each comes back as a branch", async () => {
  const { session, answer, git } = await place();
  await session.dispatch({ type: "prompt", content: "many" });
  await session.settled();
  expect(answer().match(/a part is done/g)).toHaveLength(6);
  expect(git("for-each-ref", "--format=x", "refs/heads/troupe").trim().split("\n")).toHaveLength(6);
});

test("the words for an agent elsewhere", () => {
  expect(remoteConduct("troupe/agent-1")).toMatchInlineSnapshot(`
    "# Where you work
    You work in a clone of the repository, on the branch troupe/agent-1, on another machine than the one that started you. Commit what you do: your commits go back as a branch. What you have changed and not committed when you end is committed for you; files outside the clone, and ignored ones, stay behind. Others cannot see your files: say in your last message all that they need to know."
  `);
  const elsewhere = stillElsewhere({ description: "write it", agentId: "agt_1", taskId: "bg_1" });
  expect(elsewhere).toMatchInlineSnapshot(
    `"The agent for "write it" (agt_1) did not end with the program: it is on another machine, and what it does and comes to is heard here again, as the background task bg_1. You will be told when it has ended; do not start it again."`,
  );
  expect(takenOver("0123456789abcdef")).toMatchInlineSnapshot(
    `"The machine on which this was begun is gone. What had been committed there is in your clone (git log 0123456789ab..); what had not is lost. Look what is done already, and go on from there."`,
  );
});
