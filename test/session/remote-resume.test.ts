import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type AgentPath, type Envelope, StoredEvent } from "../../src/protocol/index.ts";
import { runWorker, type Session, startSession } from "../../src/session/index.ts";
import { temporaryFolder } from "../platform/temporary-folder.ts";
import { type NatsServer, startNats } from "../store/nats/nats-server.ts";

const script = `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 60000 } }] });
export default (ask) => {
  if (ask.agent === "lead") {
    if (ask.said.includes("<task-notification>")) return { text: "lead was told: " + ask.said };
    if (ask.said.startsWith("go"))
      return ask.results.length === 0
        ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write it", subagent_type: "general-purpose", name: "writer", isolation: "remote", run_in_background: ask.said === "go behind" } }] }
        : { text: "lead heard: " + ask.result.text };
    return { text: "lead says yes" };
  }
  if (ask.turn === 1) return bash("echo one > one.txt && git add -A && git commit -qm one");
  if (ask.turn === 2) return bash("while test -e WAIT; do sleep 0.05; done");
  if (ask.turn === 3) return bash("echo two > two.txt && git add -A && git commit -qm two");
  return { text: "both are written" };
};`;

let server: NatsServer;
beforeAll(async () => {
  server = await startNats();
});
afterAll(() => server.close());

interface Life {
  readonly session: Session;
  readonly seen: readonly Envelope[];
  saw(is: (envelope: Envelope) => boolean): Promise<Envelope>;
  close(): Promise<void>;
}

interface Place {
  readonly wait: string;
  live(resume?: string): Promise<Life>;
  git(...args: string[]): string;
}

/** A worker, and the home of a lead that can have several lives. */
function place(flags: { maxTokens?: number } = {}): Place {
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
  const worker = runWorker({
    cwd: workerHome,
    env: envOf(workerHome),
    name: "near",
    labels: [],
    maxAgents: 2,
    permissionMode: "bypassPermissions",
    signal: stop.signal,
    leaving: stop.signal,
    say: () => undefined,
  });
  onTestFinished(async () => {
    rmSync(wait, { force: true });
    stop.abort();
    await worker;
  });
  const live = async (resume?: string): Promise<Life> => {
    const session = await startSession({
      cwd,
      env: envOf(leadHome),
      flags: {
        model: `scripted/${join(leadHome, "script.mjs")}`,
        permissionMode: "bypassPermissions",
        settings: JSON.stringify({ bus: { leaseMs: 2000 } }),
        ...flags,
      },
      resume,
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
    const close = async () => {
      await session.close();
      await reading;
    };
    onTestFinished(close);
    const saw: Life["saw"] = (is) =>
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
    return { session, seen, saw, close };
  };
  return { wait, live, git };
}

const waits = ({ event }: Envelope) => event.type === "tool.called" && event.title.includes("while test");
const told = ({ event }: Envelope) =>
  event.type === "turn.ended" && JSON.stringify(event.parts).includes("lead was told");
const textOf = ({ event }: Envelope) => JSON.stringify(event);
const path = "lead/writer" as AgentPath;

/** Everything that is in the log of the agent, from all lives of its session. */
const logOf = (...lives: readonly Life[]) => {
  const all = lives.flatMap(({ seen }) => seen);
  const writer = all.find(({ event }) => event.type === "agent.spawned" && event.path === path)?.agent;
  return all.filter(({ agent, event }) => agent === writer && StoredEvent.safeParse(event).success);
};

for (const manner of ["go", "go behind"])
  test(`closed while it works elsewhere (${manner}): it goes on there, and its end is told once when the session is resumed`, async () => {
    const { wait, live, git } = place();
    const first = await live();
    await first.session.dispatch({ type: "prompt", content: manner });
    await first.saw(waits);
    await first.close();
    expect(git("for-each-ref", "refs/heads/troupe")).toBe("");
    const second = await live(first.session.id);
    rmSync(wait);
    const end = await second.saw(told);
    expect(textOf(end)).toContain("both are written");
    expect(textOf(end)).toContain("on the branch troupe/agent-");
    expect(git("log", "--format=%s", "--branches", "^main")).toBe("two\none\n");
    const log = logOf(first, second);
    expect(new Set(log.map(({ seq }) => seq)).size).toBe(log.length);
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
    for (const type of ["turn.started", "turn.ended"])
      expect(log.filter(({ event }) => event.type === type)).toHaveLength(4);
    expect(log.flatMap(({ event }) => (event.type === "tool.settled" ? [event.outcome] : []))).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    await second.close();
    const third = await live(first.session.id);
    await third.session.dispatch({ type: "prompt", content: "is that all?" });
    await third.session.settled();
    expect([...second.seen, ...third.seen].filter(told)).toHaveLength(1);
  });

test("finished while nobody was there: the result and the branch are fetched when the session is resumed, once", async () => {
  const { wait, live, git } = place({ maxTokens: 1_000_000 });
  const first = await live();
  await first.session.dispatch({ type: "prompt", content: "go" });
  await first.saw(waits);
  await first.close();
  rmSync(wait);
  const second = await live(first.session.id);
  expect(textOf(await second.saw(told))).toContain("both are written");
  expect(git("log", "--format=%s", "--branches", "^main")).toBe("two\none\n");
  const words = second.seen.flatMap(({ event }) => (event.type === "prompt.admitted" ? [JSON.stringify(event)] : []));
  expect(words.filter((each) => each.includes("<task-notification>"))).toHaveLength(1);
});
