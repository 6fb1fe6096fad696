import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "../../../src/protocol/index.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { bypass, type Running, workplace } from "../../support/cli/workplace.ts";

const hello = { version: 1, steps: [{ text: "Hello there." }] };

interface Address {
  readonly url: string;
  readonly port: number;
}

const addressOf = async (running: Running): Promise<Address> => JSON.parse(await running.saw(/\n/)) as Address;

/** Opens the address and returns the cookie that it sets. */
async function enter(url: string): Promise<{ readonly origin: string; readonly cookie: string }> {
  const answer = await fetch(url, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { origin: new URL(url).origin, cookie };
}

async function streamUntil(page: { origin: string; cookie: string }, query: string, wanted: RegExp): Promise<string> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`${page.origin}/api/events${query}`, {
    headers: { cookie: page.cookie },
    signal: leaving.signal,
  });
  let text = "";
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (wanted.test(text)) return text;
  }
  throw new Error(`the stream ended before ${wanted}: ${text}`);
}

const envelopesIn = (text: string): Envelope[] =>
  [...text.matchAll(/^event: envelopes\ndata: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data ?? "") as Envelope[]);

test("troupe web shows this machine's sessions until Ctrl-C; only the user can read its token", async () => {
  const place = workplace();
  place.write("s.json", hello);
  await place.run(["-p", "say hello", "--model", "scripted/s.json"]);
  const port = await freePort();
  const running = place.start(["web", "--no-open", "--json", "--port", `${port}`]);
  const { url } = await addressOf(running);
  const page = await enter(url);
  expect(await (await fetch(`${page.origin}/`, { headers: { cookie: page.cookie } })).text()).toContain(
    "<title>Troupe",
  );
  const listed = await streamUntil(page, "", /event: sessions\n.*say hello.*\n\n/);
  const id = /"id":"(ses_\w+)"/.exec(listed)?.[1] ?? "";
  const events = envelopesIn(await streamUntil(page, `?session=${id}`, /event: caught-up/));
  expect(events.map(({ event }) => event.type)).toContain("turn.ended");

  const kept = join(place.home, ".troupe", "web");
  expect(statSync(kept).mode & 0o777).toBe(0o700);
  expect(statSync(join(kept, `${port}.json`)).mode & 0o777).toBe(0o600);
  running.child.kill("SIGINT");
  expect(await running.done).toMatchObject({ code: 0, stderr: "" });
});

test("a restart on the same port accepts a page that was left open", async () => {
  const place = workplace();
  const port = await freePort();
  const first = place.start(["web", "--no-open", "--json", "--port", `${port}`]);
  const { url } = await addressOf(first);
  const page = await enter(url);
  first.child.kill("SIGKILL");
  await first.done;
  const second = place.start(["web", "--no-open", "--json", "--port", `${port}`]);
  expect((await addressOf(second)).url).toBe(url);
  expect((await fetch(page.origin, { headers: { cookie: page.cookie } })).status).toBe(200);
  second.child.kill("SIGTERM");
  expect((await second.done).code).toBe(143);
  const file = join(place.home, ".troupe", "web", `${port}.json`);
  const kept = JSON.parse(readFileSync(file, "utf8")) as { token: string; madeAt: string };
  expect(url).toContain(kept.token);
});

test("a port in use is an error when it was requested, otherwise another port is chosen", async () => {
  const place = workplace();
  const taken = createServer();
  onTestFinished(() => void taken.close());
  // Either this listener or another process of the machine holds the port.
  await new Promise<void>((resolve) => {
    taken.once("listening", resolve).once("error", () => resolve());
    taken.listen(4747, "127.0.0.1");
  });
  const refused = await place.run(["web", "--no-open", "--port", "4747"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^troupe: cannot listen on port 4747: it is in use[^\n]*\n$/);
  const running = place.start(["web", "--no-open"]);
  const words = await running.saw(/Press Ctrl-C to stop\./);
  expect(words).toMatch(/http:\/\/127\.0\.0\.1:(?!4747)\d+\/\?token=[\w-]{43}\n/);
  running.child.kill("SIGINT");
  expect((await running.done).code).toBe(0);
  expect((await place.run(["web", "--port", "70000"])).stderr).toMatch(/Give a port: a whole number/);
});

test("-p --web: the page shows the run, can stop it, and an open page does not keep it alive", async () => {
  const place = workplace();
  place.write("s.json", {
    version: 1,
    steps: [
      { text: "I wait.", calls: [{ tool: "Bash", input: { command: "touch begun; sleep 600" } }] },
      { text: "Over." },
    ],
  });
  const running = place.start(["-p", "--web", "wait for me", "--model", "scripted/s.json", ...bypass], { input: "" });
  const said = await running.saw(/dashboard of this session: \S+\n/, "stderr");
  const [url = ""] = /http:\S+/.exec(said) ?? [];
  const id = /#\/s\/(ses_\w+)\/team$/.exec(url)?.[1] ?? "";
  const page = await enter(url);
  const seen = await streamUntil(page, `?session=${id}`, /"tool\.called"[^]*caught-up|caught-up[^]*"tool\.called"/);
  expect(seen).toContain('"state":"reachable"');
  expect(seen).toContain("wait for me");
  const interrupted = await fetch(`${page.origin}/api/command`, {
    method: "POST",
    headers: { cookie: page.cookie, origin: page.origin, "content-type": "application/json" },
    body: JSON.stringify({ session: id, command: { type: "interrupt" } }),
  });
  expect(await interrupted.json()).toEqual({ ok: true });
  // An open stream does not keep the process alive.
  const { code, stderr } = await running.done;
  expect(code).toBe(130);
  expect(stderr).toContain(page.origin);
});

test("--web in a terminal prints the address above the screen, and the page shows what is typed", async () => {
  const place = workplace();
  place.write("s.json", hello);
  const terminal = openTerminal(place, ["--web", "--model", "scripted/s.json"], { columns: 160 });
  await terminal.see("dashboard of this session");
  const [url = ""] = /http:\S+/.exec(terminal.scrollback().replaceAll("\n", "")) ?? [];
  const id = /#\/s\/(ses_[0-9a-z]{26})/.exec(url)?.[1] ?? "";
  const page = await enter(url.slice(0, url.indexOf("#")));
  terminal.type("greet me");
  terminal.press("Enter");
  const seen = await streamUntil(page, `?session=${id}`, /Hello there/);
  expect(seen).toContain("greet me");
});

test("a session of another process is answered in the page, and a server restart loses nothing", async () => {
  const place = workplace();
  place.write("s.json", {
    version: 1,
    steps: [{ calls: [{ tool: "Bash", input: { command: "touch allowed.txt" } }] }, { text: "It is there." }],
  });
  const port = await freePort();
  const startWeb = () => place.start(["web", "--no-open", "--json", "--port", `${port}`]);
  const web = startWeb();
  const page = await enter((await addressOf(web)).url);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = place.start(["-p", "--model", "scripted/s.json", ...lines]);
  running.write(JSON.stringify({ type: "prompt", content: "ask me" }));
  const listed = await streamUntil(
    page,
    "",
    /"firstPrompt":"ask me"[^}]*"state":"reachable"|"state":"reachable"[^}]*"firstPrompt":"ask me"/,
  );
  const id = /"id":"(ses_\w+)"/.exec(listed)?.[1] ?? "";
  const asked = envelopesIn(await streamUntil(page, `?session=${id}`, /"permission\.asked"[^]*\n\n/));
  const question = asked.map(({ event }) => event).find((event) => event.type === "permission.asked");
  const { agent, seq } = asked.at(-1) as Envelope;

  web.child.kill("SIGKILL");
  await web.done;
  const again = startWeb();
  await addressOf(again);
  const command = {
    type: "permission.reply",
    requestId: question?.requestId,
    answer: { behavior: "allow", scope: "once" },
  };
  const answered = await fetch(`${page.origin}/api/command`, {
    method: "POST",
    headers: { cookie: page.cookie, origin: page.origin, "content-type": "application/json" },
    body: JSON.stringify({ session: id, command }),
  });
  expect(await answered.json()).toEqual({ ok: true });
  const after = encodeURIComponent(JSON.stringify({ [id]: { [agent]: seq } }));
  const rest = envelopesIn(await streamUntil(page, `?session=${id}&after=${after}`, /It is there[^]*\n\n/));
  expect(existsSync(join(place.cwd, "allowed.txt"))).toBe(true);
  const stored = new Set(rest.filter((envelope) => envelope.agent === agent).map((envelope) => envelope.seq));
  expect(Math.min(...stored)).toBe(seq + 1);
  running.end();
  expect((await running.done).code).toBe(0);
  again.child.kill("SIGINT");
  expect((await again.done).code).toBe(0);
});

test("the token is in no log and no file but its own", async () => {
  const place = workplace();
  place.write("s.json", hello);
  const { stderr } = await place.run(["-p", "hi", "--web", "--model", "scripted/s.json", "--verbose"]);
  const token = /token=([\w-]{43})/.exec(stderr)?.[1] ?? "none";
  expect(stderr.split(token)).toHaveLength(2);
  const { execFileSync } = await import("node:child_process");
  const found = () => execFileSync("grep", ["-rl", token, place.home, place.cwd], { encoding: "utf8" });
  expect(found).toThrow();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
