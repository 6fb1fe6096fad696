import { readdirSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { createSession, type LibrarySession } from "../../../src/session/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../../src/testing.ts";
import { isLive } from "../../../src/view/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { sessionDirectoryOf, watch } from "../../support/session/watch-sessions.ts";

interface Live {
  readonly session: LibrarySession;
  readonly home: string;
  readonly folder: string;
}

async function begin(steps: Script["steps"], { deep = "" } = {}): Promise<Live> {
  const tree = tempTree();
  tree.folder("project");
  const home = join(tree.root, deep, "state");
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.root, TROUPE_HOME: home, PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model: createScriptedModel({ version: 1, steps: steps ?? [] }, { clock: systemClock }),
    permissionMode: "bypassPermissions",
    observable: true,
  });
  onTestFinished(() => session.close());
  return { session, home, folder: join(home, "run") };
}

const doorsIn = (folder: string) => {
  try {
    return readdirSync(folder).filter((name) => name.startsWith("ses_"));
  } catch {
    return []; // not created yet
  }
};

/** A raw connection to the session socket that need not follow the protocol. */
interface Raw {
  readonly socket: Socket;
  readonly said: Record<string, unknown>[];
  hears(say: string): Promise<Record<string, unknown>>;
  readonly closed: Promise<void>;
}

async function goIn({ folder }: Live): Promise<Raw> {
  await expect.poll(() => doorsIn(folder)).toHaveLength(1);
  const socket = connect(join(folder, doorsIn(folder)[0] ?? ""));
  onTestFinished(() => void socket.destroy());
  const said: Record<string, unknown>[] = [];
  const lookers = new Set<() => void>();
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) said.push(JSON.parse(line) as Record<string, unknown>);
    for (const look of lookers) look();
  });
  socket.on("error", () => undefined); // a client that misbehaves is cut off in the middle of a line
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const hears = (say: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const look = () => {
        const found = said.find((each) => each["say"] === say);
        if (found) resolve(found);
      };
      lookers.add(look);
      look();
      void closed.then(() => reject(new Error(`closed without ${say}: ${JSON.stringify(said)}`)));
    });
  const raw = { socket, said, hears, closed };
  await raw.hears("hello");
  return raw;
}

const hostile: Readonly<Record<string, string | Buffer>> = {
  "words of another protocol": "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "no text": Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]),
  "no JSON": "{{{\n",
  "no question": '{"ask":"everything"}\n',
  "not even an object": "[1,2,3]\n",
  "a depth without end": `${"[".repeat(200_000)}\n`,
  "a line without end": Buffer.alloc(33 << 20, 0x61),
  "events twice": '{"ask":"events"}\n{"ask":"events"}\n',
};

test("a client that sends invalid data is disconnected without effect on others", async () => {
  const live = await begin([{ text: "still here" }]);
  const good = await goIn(live);
  good.socket.write('{"ask":"events"}\n');
  await good.hears("now");
  for (const [what, bytes] of Object.entries(hostile)) {
    const bad = await goIn(live);
    bad.socket.write(bytes);
    await bad.closed;
    const last = bad.said.at(-1);
    expect(last, what).toMatchObject({ say: "bye", code: "refused" });
  }
  // One client leaves in the middle of a line. Another sends a request and does not wait for the answer.
  (await goIn(live)).socket.end('{"ask":"disp');
  const hasty = await goIn(live);
  hasty.socket.write('{"ask":"dispatch","id":1,"command":{"type":"interrupt"}}\n', () => hasty.socket.destroy());
  await hasty.closed;
  expect((await live.session.ask("go on")).text).toBe("still here");
  await good.hears("events");
});

test("a command is validated, executed and answered; an invalid one is answered too", async () => {
  const live = await begin([{ text: "yes" }]);
  const guest = await goIn(live);
  guest.socket.write('{"ask":"dispatch","id":1,"command":{"type":"launch"}}\n');
  expect(await guest.hears("ack")).toMatchObject({ id: 1, ack: { ok: false, code: "invalid_command" } });
  const sessionDirectory = sessionDirectoryOf(live.home);
  const session = await sessionDirectory.open(live.session.id);
  expect(await session.dispatch({ type: "background.stop", backgroundId: "bg_00000000" as never })).toMatchObject({
    ok: false,
    code: "no_such_task",
  });
  expect(await session.dispatch({ type: "close" })).toEqual({ ok: true });
  await guest.closed;
  expect(doorsIn(live.folder)).toEqual([]);
  expect(await session.dispatch({ type: "interrupt" })).toMatchObject({ ok: false, code: "not_running" });
});

const flood = 60_000;
const lastOf = (seen: readonly Envelope[]) => seen.filter(({ event }) => !isLive(event)).map(({ seq }) => seq);

test("a client that does not read is disconnected; an observer continues from the stored events", async () => {
  const live = await begin([{ text: "x".repeat(flood), chunk: 1 }, { text: "after the flood" }]);
  const stuck = await goIn(live);
  stuck.socket.write('{"ask":"events"}\n');
  await stuck.hears("now");
  stuck.socket.pause();
  const slow = (await sessionDirectoryOf(live.home).open(live.session.id)).events({
    signal: new AbortController().signal,
  });
  const reader = slow[Symbol.asyncIterator]();
  while ((await reader.next()).value?.kind !== "caught-up");
  await live.session.ask("first");
  await live.session.ask("second");
  stuck.socket.resume();
  await stuck.closed;
  const deltas = stuck.said.flatMap((each) => (each["say"] === "events" ? (each["envelopes"] as Envelope[]) : []));
  expect(deltas.length).toBeLessThan(flood);

  const quick = await watch(sessionDirectoryOf(live.home), live.session.id);
  await quick.caughtUp();
  const told: Envelope[] = [];
  while (lastOf(told).at(-1) !== lastOf(quick.envelopes).at(-1)) {
    const { value } = await reader.next();
    if (value?.kind === "envelopes") told.push(...value.envelopes);
  }
  const numbers = lastOf(told);
  expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] ?? 0)));
  expect(told.length).toBeLessThan(flood);
  await reader.return?.();
});

test("the number of clients is limited", async () => {
  const live = await begin([]);
  const guests = [];
  for (let i = 0; i < 64; i++) guests.push(await goIn(live));
  const more = await goIn(live);
  await more.closed;
  expect(more.said.at(-1)).toMatchObject({ say: "bye", code: "full" });
  guests[0]?.socket.destroy();
  await guests[0]?.closed;
  await expect
    .poll(async () => {
      const next = await goIn(live);
      next.socket.write('{"ask":"events"}\n');
      return next.hears("now").then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
});

test("a home whose path is too long for a socket still has session sockets", async () => {
  const live = await begin([{ text: "far down" }], { deep: "deep/".repeat(30) });
  const seen = await watch(sessionDirectoryOf(live.home), live.session.id);
  await seen.state("reachable");
  const [door = ""] = doorsIn(live.folder);
  expect(statSync(join(live.folder, door)).mode & 0o777).toBe(0o600);
  await live.session.ask("hello");
  await seen.event(({ event }) => event.type === "text.delta");
  await live.session.close();
  expect(readdirSync(live.folder)).toEqual([]);
});

test("a session that cannot open a socket reports it and works", async () => {
  const live = await begin([{ text: "anyway" }]);
  writeFileSync(live.folder, "in the way");
  const seen = await watch(sessionDirectoryOf(live.home), live.session.id);
  const { event } = await seen.event((each) => each.event.type === "notice.raised" && each.event.code === "door");
  expect(event).toMatchObject({ level: "warning" });
  expect((await live.session.ask("hello")).text).toBe("anyway");
  await seen.state("open");
  expect(
    await (await sessionDirectoryOf(live.home).open(live.session.id)).dispatch({ type: "interrupt" }),
  ).toMatchObject({
    ok: false,
    code: "not_reachable",
  });
});
